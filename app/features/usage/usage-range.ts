import type { UsageRangeInput } from '#server/services/usage/schema.ts';

/** The query of `trpc.usage.overview`: an organization, which days, and possibly one endpoint or site. */
export type OrganizationRange = UsageRangeInput & { organization_id: string };
