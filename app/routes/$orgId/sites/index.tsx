import { createFileRoute } from '@tanstack/react-router';
import { z } from 'zod';
import { SitesPage } from '../../../features/sites/sites-page.tsx';
import { pageTitle } from '../../../i18n/page-title.ts';

export const Route = createFileRoute('/$orgId/sites/')({
  validateSearch: z.object({
    create: z.boolean().optional().catch(undefined),
    search: z.string().optional().catch(undefined),
  }),
  loaderDeps: ({ search }) => ({ search: search.search }),
  loader: ({ context, params, deps }) =>
    context.trpc.sites.list.prefetchInfinite({ organization_id: params.orgId, search: deps.search }),
  head: ({ match }) => ({ meta: [{ title: pageTitle(match.context, 'sites') }] }),
  component: SitesPage,
});
