import { msg } from '@lingui/core/macro';
import { createFileRoute, notFound } from '@tanstack/react-router';
import { SiteNotFound } from '../../../features/sites/page/site-not-found.tsx';
import { SitePage } from '../../../features/sites/page/site-page.tsx';
import { SitePageSkeleton } from '../../../features/sites/page/site-page-skeleton.tsx';
import { prefetchMonthUsage } from '../../../features/usage/month/prefetch-month-usage.ts';
import { isAbsent } from '../../../i18n/errors/read-error.ts';
import { pageTitle, titleOfOne } from '../../../i18n/page-title.ts';
import { flagParam, readSearch } from '../../../search-params.ts';

const validSearch = readSearch({ deploy: flagParam, delete: flagParam });

export const Route = createFileRoute('/$orgId/sites/$siteId')({
  validateSearch: validSearch,
  loader: async ({ context, params }) => {
    const ofSite = { organization_id: params.orgId, site_id: params.siteId };
    const [site, usageAsked] = await Promise.all([
      context.trpc.sites.get.ensureData(ofSite).catch((error: unknown) => {
        throw isAbsent(error) ? notFound() : error;
      }),
      prefetchMonthUsage(context.trpc, ofSite),
      context.trpc.deployments.list.prefetchInfinite({ ...ofSite, limit: 20 }),
      context.trpc.cdn.page.prefetchInfinite(ofSite),
    ]);
    return { name: site.name, usageAsked };
  },
  head: ({ match, loaderData }) => {
    const { i18n } = match.context;
    const { name } = loaderData ?? {};
    const settings = name === undefined ? undefined : i18n._(msg`${name} Settings`);
    const missing = i18n._(msg`Site not found`);
    const title = titleOfOne(match.status, { name: settings, missing, section: 'sites' });
    return { meta: [{ title: pageTitle(match.context, title) }] };
  },
  pendingComponent: SitePageSkeleton,
  notFoundComponent: SiteNotFound,
  component: SitePage,
});
