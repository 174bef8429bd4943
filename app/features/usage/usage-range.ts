import type { UsageRangeInput } from '#server/services/usage/schema.ts';

/** What `trpc.usage.overview` is asked for: an organization, which days, and possibly one endpoint or site. */
export type OrganizationRange = UsageRangeInput & { organization_id: string };
