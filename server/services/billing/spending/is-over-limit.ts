import { type RawBuilder, sql } from 'kysely';

/**
 * Returns an expression that is true when a spending limit stops something: one of the organization itself,
 * or of any of these. Both are columns of the surrounding query.
 */
export function isOverLimit(
  organization: string,
  resources: readonly string[],
): RawBuilder<number | boolean> {
  const ids = [organization, ...resources].map((column) => sql.ref(column));
  return sql<number | boolean>`exists(select 1 from spending_stops
    where spending_stops.organization_id = ${sql.ref(organization)}
    and spending_stops.resource_id in (${sql.join(ids)}))`;
}

/** Whether an edge itself has found that one of these has reached a limit. */
export type IsStoppedHere = (organizationId: string, resourceIds: readonly (string | null)[]) => boolean;

/**
 * What may prevent a host from being served: when an operator suspended the organization, the site or the
 * version.
 */
interface StoppableRow {
  suspended_at: number | null;
  site_suspended_at: number | null;
  version_suspended_at: number | null;
  is_over_limit: number | boolean;
}

/** Returns why a host is not served, if anything stops it. */
export function stopOf(row: StoppableRow): { isSuspended: boolean; isOverLimit: boolean } {
  return {
    isSuspended: (row.suspended_at ?? row.site_suspended_at ?? row.version_suspended_at) !== null,
    isOverLimit: Boolean(row.is_over_limit),
  };
}
