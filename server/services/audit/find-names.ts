import type { Executor } from '#db/client.ts';
import type { AuditRow } from './queries.ts';

/** The current name of a resource; absent when it no longer exists. */
export type Names = ReadonlyMap<string, string>;

/**
 * Returns the names of the resources and actors of a page of events, by `type id`, with one query per table.
 */
export async function findNames(
  executor: Executor,
  organizationId: string,
  rows: readonly AuditRow[],
): Promise<Names> {
  const idsOf = (type: string) => [
    ...new Set(rows.filter((row) => row.resource_type === type).map((row) => row.resource_id)),
  ];
  const actorIds = rows.flatMap((row) => (row.actor_kind === 'person' && row.actor_id ? [row.actor_id] : []));
  const people = [...new Set([...idsOf('member'), ...actorIds])];
  const [sites, endpoints, credentials, users] = await Promise.all([
    readNames(idsOf('site'), (ids) =>
      executor
        .selectFrom('sites')
        .select(['id', 'name'])
        .where('organization_id', '=', organizationId)
        .where('deleted_at', 'is', null)
        .where('id', 'in', ids)
        .execute(),
    ),
    readNames(idsOf('endpoint'), (ids) =>
      executor
        .selectFrom('cdn_endpoints')
        .select(['id', 'hostname as name'])
        .where('organization_id', '=', organizationId)
        .where('id', 'in', ids)
        .execute(),
    ),
    readNames(idsOf('credential'), (ids) =>
      executor
        .selectFrom('credentials')
        .select(['id', 'name'])
        .where('organization_id', '=', organizationId)
        .where('id', 'in', ids)
        .execute(),
    ),
    // Named by the organization's own log; people who left keep their name in it.
    readNames(people, (ids) =>
      executor.selectFrom('users').select(['id', 'full_name as name']).where('id', 'in', ids).execute(),
    ),
  ]);
  const entries = [
    ...sites.map(({ id, name }) => [`site ${id}`, name] as const),
    ...endpoints.map(({ id, name }) => [`endpoint ${id}`, name] as const),
    ...credentials.map(({ id, name }) => [`credential ${id}`, name] as const),
    ...users.map(({ id, name }) => [`member ${id}`, name] as const),
  ];
  return new Map(entries);
}

/**
 * Returns the last names of sites and endpoints among the events that are in none of these names: of those that are deleted, by `type id`.
 */
export async function findFormerNames(
  executor: Executor,
  organizationId: string,
  rows: readonly AuditRow[],
  names: Names,
): Promise<Names> {
  const ids = rows
    .filter(({ resource_type: type }) => type === 'site' || type === 'endpoint')
    .filter(({ resource_type, resource_id }) => !names.has(`${resource_type} ${resource_id}`))
    .map(({ resource_id }) => resource_id);
  const gone = await readNames([...new Set(ids)], (missing) =>
    executor
      .selectFrom('resource_lifetimes')
      .select(['resource_id as id', 'name', 'resource_type'])
      .where('organization_id', '=', organizationId)
      .where('resource_id', 'in', missing)
      .execute(),
  );
  return new Map(gone.map(({ resource_type, id, name }) => [`${resource_type} ${id}`, name]));
}

type Named = { id: string; name: string };

async function readNames<T extends Named>(
  ids: string[],
  read: (ids: string[]) => Promise<T[]>,
): Promise<T[]> {
  return ids.length === 0 ? [] : read(ids);
}
