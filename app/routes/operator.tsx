import { createFileRoute, notFound, redirect } from '@tanstack/react-router';
import { OperatorPage } from '../features/operator/operator-page.tsx';
import { readOperatorSearch } from '../features/operator/operator-search.ts';
import { loadMemberships } from '../features/organizations/load-memberships.ts';
import { pageTitle } from '../i18n/page-title.ts';

/** For people with operator access; for everyone else there is no such page. */
export const Route = createFileRoute('/operator')({
  validateSearch: readOperatorSearch,
  beforeLoad: async ({ context, location }) => {
    const loaded = await loadMemberships(context);
    if (!loaded) throw redirect({ to: '/login', search: { return_to: location.href }, replace: true });
    const { access } = await context.trpc.operator.access.ensureData();
    if (access === null) throw notFound();
    return { access };
  },
  head: ({ match }) => ({
    meta: [{ title: pageTitle(match.context, match.status === 'notFound' ? 'not-found' : 'operator') }],
  }),
  component: OperatorPage,
});
