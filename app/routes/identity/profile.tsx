import { createFileRoute, notFound, redirect } from '@tanstack/react-router';
import { ProfileScreen } from '../../features/identity/accounts/profile-screen.tsx';
import { loadMemberships } from '../../features/organizations/load-memberships.ts';
import { pageTitle } from '../../i18n/page-title.ts';

/** The account at the embedded identity service; with another issuer there is no such page. */
export const Route = createFileRoute('/identity/profile')({
  beforeLoad: async ({ context, location }) => {
    if (!context.settings.isIdentityEmbedded) throw notFound();
    const loaded = await loadMemberships(context);
    if (!loaded) throw redirect({ to: '/login', search: { return_to: location.href }, replace: true });
  },
  head: ({ match }) => ({ meta: [{ title: pageTitle(match.context, 'profile') }] }),
  component: ProfileScreen,
});
