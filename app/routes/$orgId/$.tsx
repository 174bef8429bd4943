import { createFileRoute, notFound } from '@tanstack/react-router';
import { NotFoundScreen } from '../../components/page/not-found-screen.tsx';
import { pageTitle } from '../../i18n/page-title.ts';

/** Every other address of an organization: the organization is known, the page is not. */
export const Route = createFileRoute('/$orgId/$')({
  beforeLoad: () => {
    throw notFound();
  },
  head: ({ match }) => ({ meta: [{ title: pageTitle(match.context, 'not-found') }] }),
  notFoundComponent: NotFoundScreen,
});
