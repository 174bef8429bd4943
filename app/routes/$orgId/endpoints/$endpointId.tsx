import { msg } from '@lingui/core/macro';
import { createFileRoute, notFound } from '@tanstack/react-router';
import { EndpointFailed } from '../../../features/cdn/endpoint/endpoint-failed.tsx';
import { EndpointNotFound } from '../../../features/cdn/endpoint/endpoint-not-found.tsx';
import { EndpointPage } from '../../../features/cdn/endpoint/endpoint-page.tsx';
import { EndpointPageSkeleton } from '../../../features/cdn/endpoint/endpoint-page-skeleton.tsx';
import { chartParam } from '../../../features/usage/chart/chart-search.ts';
import {
  ENDPOINT_USAGE_META,
  endpointUsageRange,
} from '../../../features/usage/endpoint/endpoint-usage-range.ts';
import { isAbsent } from '../../../i18n/errors/read-error.ts';
import { pageTitle, titleOfOne } from '../../../i18n/page-title.ts';
import { flagParam, readSearch } from '../../../search-params.ts';

const validSearch = readSearch({ origin: flagParam, delete: flagParam, chart: chartParam });

export const Route = createFileRoute('/$orgId/endpoints/$endpointId')({
  validateSearch: validSearch,
  loader: async ({ context, params }) => {
    const ofEndpoint = { organization_id: params.orgId, endpoint_id: params.endpointId };
    // Streamed: the page does not wait for its usage, nor for a retry, which the browser makes.
    void context.trpc.usage.overview.prefetch(endpointUsageRange(ofEndpoint), {
      retry: false,
      meta: ENDPOINT_USAGE_META,
    });
    const endpoint = await context.trpc.cdn.get.ensureData(ofEndpoint).catch((error: unknown) => {
      throw isAbsent(error) ? notFound() : error;
    });
    return { hostname: endpoint.hostname };
  },
  head: ({ match, loaderData }) => {
    const missing = match.context.i18n._(msg`CDN endpoint not found`);
    const title = titleOfOne(match.status, { name: loaderData?.hostname, missing, section: 'cdn' });
    return { meta: [{ title: pageTitle(match.context, title) }] };
  },
  pendingComponent: EndpointPageSkeleton,
  notFoundComponent: EndpointNotFound,
  errorComponent: EndpointFailed,
  component: EndpointPage,
});
