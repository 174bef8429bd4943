import type { Executor } from '#db/client.ts';

/**
 * Returns which of the given organizations are not empty: they have sites, endpoints, credentials or buckets.
 * Sites that were deleted after `restorableAfter` count too, because they can still be restored; with null,
 * no deleted one counts.
 */
export async function findOrganizationsWithContent(
  executor: Executor,
  ids: readonly string[],
  restorableAfter: number | null,
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const found = await executor
    .selectFrom('sites')
    .select('organization_id as id')
    .where('organization_id', 'in', ids)
    .where((eb) =>
      eb.or([
        eb('deleted_at', 'is', null),
        ...(restorableAfter === null ? [] : [eb('deleted_at', '>', restorableAfter)]),
      ]),
    )
    .union(
      executor
        .selectFrom('cdn_endpoints')
        .select('organization_id as id')
        .where('organization_id', 'in', ids),
    )
    .union(
      executor.selectFrom('credentials').select('organization_id as id').where('organization_id', 'in', ids),
    )
    .union(
      executor
        .selectFrom('buckets')
        .select('organization_id as id')
        .where('organization_id', 'in', ids)
        .where('status', '!=', 'deleting'),
    )
    .execute();
  return new Set(found.map(({ id }) => id));
}
