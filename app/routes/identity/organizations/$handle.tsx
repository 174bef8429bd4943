import { msg } from '@lingui/core/macro';
import { createFileRoute, notFound, rootRouteId } from '@tanstack/react-router';
import { loadMemberships } from '../../../features/organizations/load-memberships.ts';
import { OrganizationNotFound } from '../../../features/organizations/profile/organization-not-found.tsx';
import { OrganizationPage } from '../../../features/organizations/profile/organization-page.tsx';
import { OrganizationPageSkeleton } from '../../../features/organizations/profile/organization-page-skeleton.tsx';
import { tabParam } from '../../../features/organizations/profile/organization-tabs.ts';
import { isAbsent } from '../../../i18n/errors/read-error.ts';
import { pageTitle } from '../../../i18n/page-title.ts';
import { readSearch, textParam } from '../../../search-params.ts';

const validSearch = readSearch({ tab: tabParam, search: textParam });

/** The page of an organization that is managed here; others have none. */
export const Route = createFileRoute('/identity/organizations/$handle')({
  validateSearch: validSearch,
  beforeLoad: async ({ context }) => {
    if (!context.settings.isIdentityEmbedded) throw notFound({ routeId: rootRouteId });
    const loaded = await loadMemberships(context);
    return { visitor: loaded?.user ?? null };
  },
  loader: async ({ context, params, location }) => {
    const { organizations } = context.trpc;
    const profile = await organizations.publicProfile.ensureData(params).catch((error: unknown) => {
      throw isAbsent(error) ? notFound() : error;
    });
    if (profile.membership) {
      const inIt = { organization_id: profile.membership.organization_id };
      const { tab, search } = validSearch(location.search);
      await Promise.all([
        organizations.list.ensureData(),
        tab === 'members' && organizations.members.prefetchInfinite({ ...inIt, search }),
        tab === 'invitations' && organizations.invitations.prefetchInfinite(inIt),
      ]);
    }
    return { name: profile.name };
  },
  head: ({ match, loaderData }) => {
    const text = loaderData?.name ?? match.context.i18n._(msg`Organization not found`);
    return {
      meta: [{ title: pageTitle(match.context, { text }) }, { name: 'robots', content: 'noindex' }],
    };
  },
  pendingComponent: OrganizationPageSkeleton,
  notFoundComponent: OrganizationNotFound,
  component: OrganizationPage,
});
