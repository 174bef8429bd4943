import { createFileRoute } from '@tanstack/react-router';
import { CREDENTIALS_AT_ONCE } from '../../features/credentials/credentials-at-once.ts';
import { CredentialsPage } from '../../features/credentials/credentials-page.tsx';
import { CredentialsSkeleton } from '../../features/credentials/credentials-skeleton.tsx';
import { pageTitle } from '../../i18n/page-title.ts';
import { flagParam, readSearch, textParam } from '../../search-params.ts';

const validSearch = readSearch({
  create: flagParam,
  // What a new credential gives access to at first.
  site: textParam,
  bucket: textParam,
  edit: textParam,
  search: textParam,
});

export const Route = createFileRoute('/$orgId/credentials')({
  validateSearch: validSearch,
  // Not a dependency of the loader, as in the list of sites: typing searches inside the page.
  loader: async ({ context: { trpc }, params, location }) => {
    const ofOrganization = { organization_id: params.orgId };
    const { search } = validSearch(location.search);
    await Promise.all([
      trpc.credentials.page.prefetchInfinite({ ...ofOrganization, search, limit: CREDENTIALS_AT_ONCE }),
      trpc.organizations.limits.prefetch(ofOrganization),
    ]);
  },
  pendingComponent: CredentialsSkeleton,
  head: ({ match }) => ({ meta: [{ title: pageTitle(match.context, 'credentials') }] }),
  component: CredentialsPage,
});
