import type { UsageRangeInput } from '#server/services/usage/schema.ts';

/** The query of `trpc.usage.overview`: an organization, which days, and possibly one endpoint or site. */
export type OrganizationRange = UsageRangeInput & { organization_id: string };

/** Endpoints and sites that a page has from the start: the table shows no more before someone scrolls, sorts or searches. */
export const RESOURCES_AT_FIRST = 50;

/** Returns the query for what a page shows of a range: the first endpoints and sites, or all of them. */
export function overviewInput<Range extends OrganizationRange>(range: Range, hasAll: boolean) {
  return hasAll ? range : { ...range, resources_max: RESOURCES_AT_FIRST };
}

/** Whether a table that is sorted or searched needs all rows from the start. */
export function needsAll({
  search,
  sort,
}: {
  search?: string | undefined;
  sort?: string | undefined;
}): boolean {
  return search !== undefined || sort !== undefined;
}
