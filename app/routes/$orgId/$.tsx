import { msg } from '@lingui/core/macro';
import { createFileRoute, notFound } from '@tanstack/react-router';
import { NotFoundScreen } from '../../components/not-found-screen.tsx';
import { pageTitle } from '../../i18n/page-title.ts';

/** Every other address of an organization: the organization is known, the page is not. */
export const Route = createFileRoute('/$orgId/$')({
  beforeLoad: () => {
    throw notFound();
  },
  head: ({ match }) => ({
    meta: [{ title: pageTitle(match.context, { text: match.context.i18n._(msg`Page not found`) }) }],
  }),
  notFoundComponent: NotFoundScreen,
});
