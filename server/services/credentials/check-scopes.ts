import type { Executor } from '#db/client.ts';
import { AppError } from '#server/errors.ts';
import type { Scope } from './schema.ts';

/** Whether a scope is about a bucket, which requires object storage. */
export function isOfBucket({ resource_type }: Pick<Scope, 'resource_type'>): boolean {
  return resource_type === 'bucket';
}

/**
 * Returns the scopes with one entry per resource, after checking that each names a resource of the
 * organization.
 * @throws scope_resource_not_found naming the first that does not exist in the organization
 */
export async function checkScopes(
  executor: Executor,
  organizationId: string,
  scopes: readonly Scope[],
): Promise<Scope[]> {
  const merged = new Map<string, Scope>();
  for (const scope of scopes) {
    const key = `${scope.resource_type} ${scope.resource_id}`;
    const permissions = new Set([...(merged.get(key)?.permissions ?? []), ...scope.permissions]);
    merged.set(key, { ...scope, permissions: [...permissions].sort() });
  }
  const idsOf = (type: Scope['resource_type']) =>
    [...merged.values()].filter((scope) => scope.resource_type === type).map((scope) => scope.resource_id);
  const [siteIds, bucketIds] = [idsOf('site'), idsOf('bucket')];
  const sites =
    siteIds.length === 0
      ? []
      : await executor
          .selectFrom('sites')
          .select('id')
          .where('organization_id', '=', organizationId)
          .where('deleted_at', 'is', null)
          .where('id', 'in', siteIds)
          .execute();
  const buckets =
    bucketIds.length === 0
      ? []
      : await executor
          .selectFrom('buckets')
          .select('id')
          .where('organization_id', '=', organizationId)
          .where('status', '!=', 'deleting')
          .where('id', 'in', bucketIds)
          .execute();
  const known = new Set([...sites.map(({ id }) => `site ${id}`), ...buckets.map(({ id }) => `bucket ${id}`)]);
  for (const key of merged.keys()) {
    if (!known.has(key)) throw new AppError('scope_resource_not_found', { resource: key });
  }
  return [...merged.values()];
}
