import { createFileRoute } from '@tanstack/react-router';
import { z } from 'zod';
import { CredentialsPage } from '../../features/credentials/credentials-page.tsx';
import { CredentialsSkeleton } from '../../features/credentials/credentials-skeleton.tsx';
import { pageTitle } from '../../i18n/page-title.ts';

export const Route = createFileRoute('/$orgId/credentials')({
  validateSearch: z.object({
    create: z.boolean().optional().catch(undefined),
    edit: z.string().optional().catch(undefined),
  }),
  loader: ({ context, params }) =>
    context.trpc.credentials.list.ensureData({ organization_id: params.orgId }),
  pendingComponent: CredentialsSkeleton,
  head: ({ match }) => ({ meta: [{ title: pageTitle(match.context, 'credentials') }] }),
  component: CredentialsPage,
});
