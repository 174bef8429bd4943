import { createFileRoute, notFound, redirect } from '@tanstack/react-router';
import { loadMemberships } from '../../../features/organizations/load-memberships.ts';
import { CreateOrganizationPage } from '../../../features/organizations/profile/create-organization-page.tsx';
import { pageTitle } from '../../../i18n/page-title.ts';

/** The embedded identity service creates organizations here; with another issuer there is no such page. */
export const Route = createFileRoute('/identity/organizations/new')({
  beforeLoad: async ({ context, location }) => {
    if (!context.settings.isIdentityEmbedded) throw notFound();
    const loaded = await loadMemberships(context);
    if (!loaded) throw redirect({ to: '/login', search: { return_to: location.href }, replace: true });
  },
  head: ({ match }) => ({ meta: [{ title: pageTitle(match.context, 'new-organization') }] }),
  component: CreateOrganizationPage,
});
