import { Readable } from 'node:stream';
import { exportStorageUsage } from '../../services/storage/usage/export-storage-usage.ts';
import { getStorageUsage } from '../../services/storage/usage/get-storage-usage.ts';
import { exportUsage } from '../../services/usage/export-usage.ts';
import { getTopPaths } from '../../services/usage/get-top-paths.ts';
import { getUsageOverview } from '../../services/usage/get-usage-overview.ts';
import { getUsageStats } from '../../services/usage/get-usage-stats.ts';
import {
  storageUsageInput,
  storageUsageSchema,
  usageOverviewInput,
  usageOverviewSchema,
  usagePathsInput,
  usagePathsSchema,
  usageStatsInput,
  usageStatsSchema,
} from '../../services/usage/schema.ts';
import { hashTag } from '../hash-tag.ts';
import { organizationRoute, type Route } from '../route.ts';

const tag = 'Usage';
const errors = ['endpoint_not_found', 'site_not_found'] as const;
const range =
  '`period` is `month` (since the first, the default), `week` (since Monday) or `day` (today); `start_date` and `end_date` ' +
  'make a custom range, both included. With `cdn_endpoint_id` alone it is the last 30 days. All days are UTC.';
const rows =
  'A row is what one endpoint, or one site at its platform names (`cdn_endpoint_id` is null), served on a day. Bytes are those ' +
  'sent on the wire, heads and bodies, without TLS; interrupted transfers count what was sent. Requests refused while an ' +
  'organization is stopped are counted separately and not billed. Figures are seconds old. A credential sees the rows of the sites ' +
  'in its scopes.';

const storedErrors = ['out_of_scope', 'bucket_not_found'] as const;
const storedRange =
  '`period` is `month` (since the first, the default), `week` (since Monday) or `day` (today); `start_date` and `end_date` ' +
  'make a custom range, both included. All days are UTC.';
const stored =
  '`byte_hours` are bytes times the hours for which they were stored, up to now. Refused requests, and those that failed, are ' +
  'counted separately, without their bytes. None of this is billed. A credential sees the buckets that it can read.';

export const usageRoutes: Route[] = [
  organizationRoute(
    {
      method: 'GET',
      path: '/api/v1/usage/stats',
      id: 'getUsageStats',
      tag,
      summary: 'Get usage by endpoint and day',
      description: `${rows} ${range} \`granularity\` \`hour\` returns hours, of at most seven days within the last 90.`,
      query: usageStatsInput,
      success: { kind: 'json', status: 200, schema: usageStatsSchema },
      errors,
    },
    ({ context, query }) => getUsageStats(context, query),
  ),
  organizationRoute(
    {
      method: 'GET',
      path: '/api/v1/usage/stats.csv',
      id: 'exportUsage',
      tag,
      summary: 'Get usage by endpoint and day as CSV',
      description: `The same rows with the names of sites and endpoints. ${range}`,
      query: usageStatsInput,
      success: { kind: 'download', mediaType: 'text/csv; charset=utf-8' },
      errors,
    },
    async ({ context, query }) => {
      const { filename, revision, text } = await exportUsage(context, query);
      return { filename, etag: hashTag(revision), stream: Readable.from(text, { objectMode: false }) };
    },
  ),
  organizationRoute(
    {
      method: 'GET',
      path: '/api/v1/usage/overview',
      id: 'getUsageOverview',
      tag,
      summary: 'Get a summary of a range: by day or hour, by endpoint, and compared with the period before',
      description:
        `${range} \`points\` are hourly for two days or less. \`resources\` lists each endpoint, and each site at its ` +
        'platform names, with most bytes first: `resources_max` of them, or all. `previous` is the period of the same length before.',
      query: usageOverviewInput,
      success: { kind: 'json', status: 200, schema: usageOverviewSchema },
      errors,
    },
    ({ context, query }) => getUsageOverview(context, query),
  ),
  organizationRoute(
    {
      method: 'GET',
      path: '/api/v1/usage/storage',
      id: 'getStorageUsage',
      tag,
      summary: 'Get storage and traffic of buckets, by day and by bucket',
      description: `${stored} ${storedRange}`,
      query: storageUsageInput,
      success: { kind: 'json', status: 200, schema: storageUsageSchema },
      errors: storedErrors,
    },
    ({ context, query }) => getStorageUsage(context, query),
  ),
  organizationRoute(
    {
      method: 'GET',
      path: '/api/v1/usage/storage.csv',
      id: 'exportStorageUsage',
      tag,
      summary: 'Get storage and traffic of buckets by day as CSV',
      description: `A line for each bucket and day on which something was stored or requested. ${storedRange}`,
      query: storageUsageInput,
      success: { kind: 'download', mediaType: 'text/csv; charset=utf-8' },
      errors: storedErrors,
    },
    async ({ context, query }) => {
      const { filename, text } = await exportStorageUsage(context, query);
      return { filename, etag: hashTag(`${context.organization.id} ${text}`), stream: Readable.from([text]) };
    },
  ),
  organizationRoute(
    {
      method: 'GET',
      path: '/api/v1/usage/paths',
      id: 'getTopPaths',
      tag,
      summary: 'Get the most requested files',
      description: `Addresses of deployed files only, counted within a minute. ${range}`,
      query: usagePathsInput,
      success: { kind: 'json', status: 200, schema: usagePathsSchema },
      errors,
    },
    ({ context, query }) => getTopPaths(context, query),
  ),
];
