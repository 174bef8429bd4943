import { createFileRoute } from '@tanstack/react-router';
import { CredentialsPage } from '../../features/credentials/credentials-page.tsx';
import { CredentialsSkeleton } from '../../features/credentials/credentials-skeleton.tsx';
import { pageTitle } from '../../i18n/page-title.ts';
import { flagParam, readSearch, textParam } from '../../search-params.ts';

const validSearch = readSearch({ create: flagParam, edit: textParam, search: textParam });

export const Route = createFileRoute('/$orgId/credentials')({
  validateSearch: validSearch,
  loader: async ({ context: { trpc }, params }) => {
    const ofOrganization = { organization_id: params.orgId };
    await Promise.all([
      trpc.credentials.list.prefetch(ofOrganization),
      trpc.organizations.limits.prefetch(ofOrganization),
    ]);
  },
  pendingComponent: CredentialsSkeleton,
  head: ({ match }) => ({ meta: [{ title: pageTitle(match.context, 'credentials') }] }),
  component: CredentialsPage,
});
