import type { Executor } from '#db/client.ts';

/**
 * Returns those of some organizations that have anything in them: sites, endpoints, credentials or buckets. Sites that were
 * deleted after `restorableAfter` count too, as somebody could still bring them back; with null no deleted one does.
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
