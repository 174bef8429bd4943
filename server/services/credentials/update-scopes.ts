import type { z } from 'zod';
import type { OrganizationContext } from '#server/context.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { requireStorage } from '../storage/require-storage.ts';
import { checkScopes, isOfBucket } from './check-scopes.ts';
import { findScopes, lockCredential, replaceScopes, toCredential } from './queries.ts';
import { requireCredentialRight } from './require-credential-right.ts';
import { type Credential, type Scope, updateScopesInput } from './schema.ts';

/**
 * Replaces the scopes of a credential, says whether it may create buckets, and returns it; its next request sees them.
 * Storing the same again changes and records nothing.
 * @throws credential_not_found, scope_resource_not_found, feature_missing for further access to buckets,
 * permission_required
 */
export async function updateScopes(
  context: OrganizationContext,
  input: z.input<typeof updateScopesInput>,
): Promise<Credential> {
  requireCredentialRight(context, 'credential.manage');
  const { credential_id, scopes, may_create_buckets } = updateScopesInput.parse(input);
  const { organization } = context;
  return inUnitOfWork(context, async ({ trx, audit }) => {
    // Two replacements at once would leave the scopes of both.
    const row = await lockCredential(trx, organization.id, credential_id);
    const checked = await checkScopes(trx, organization.id, scopes);
    const before = (await findScopes(trx, [row.id])).get(row.id) ?? [];
    const mightCreate = row.may_create_buckets === 1;
    const mayCreate = may_create_buckets ?? mightCreate;
    // What it has already may stay: without object storage it opens nothing, and nobody is shown a box to clear.
    const had = new Set(before.filter(isOfBucket).map(({ resource_id }) => resource_id));
    const isNew = (scope: Scope) => isOfBucket(scope) && !had.has(scope.resource_id);
    if ((mayCreate && !mightCreate) || checked.some(isNew)) requireStorage(context);
    if (mayCreate === mightCreate && isSame(before, checked)) return toCredential(row, before);
    await replaceScopes(trx, row.id, checked);
    await trx
      .updateTable('credentials')
      .set({ may_create_buckets: mayCreate ? 1 : 0 })
      .where('id', '=', row.id)
      .execute();
    await audit({
      action: 'credential.scopes',
      resource_type: 'credential',
      resource_id: row.id,
      organization_id: organization.id,
      before: {
        scopes: before.map(({ resource_name: _, ...scope }) => scope),
        may_create_buckets: mightCreate,
      },
      after: { scopes: checked, may_create_buckets: mayCreate },
    });
    const named = await findScopes(trx, [row.id]);
    return toCredential({ ...row, may_create_buckets: mayCreate ? 1 : 0 }, named.get(row.id) ?? []);
  });
}

/** Whether two lists, each with one scope for a resource, grant the same, in whatever order. */
function isSame(some: readonly Scope[], others: readonly Scope[]): boolean {
  const grants = (scopes: readonly Scope[]) =>
    scopes
      .map((scope) => [scope.resource_type, scope.resource_id, ...scope.permissions.toSorted()].join(' '))
      .sort();
  return grants(some).join() === grants(others).join();
}
