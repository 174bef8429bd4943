import type { z } from 'zod';
import { actorName, type OrganizationContext } from '#server/context.ts';
import { AppError, invalidField } from '#server/errors.ts';
import { newId } from '#server/ids.ts';
import { requireWithinLimits } from '../limits/require-within-limits.ts';
import { requireLiveOrganization } from '../organizations/require-live-organization.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { requireStorage } from '../storage/require-storage.ts';
import { checkScopes, isOfBucket } from './check-scopes.ts';
import { newKeys } from './new-keys.ts';
import { findScopes, replaceScopes, toCredential } from './queries.ts';
import { requireCredentialRight } from './require-credential-right.ts';
import { type CreateCredentialResult, createCredentialInput } from './schema.ts';

/**
 * Creates a credential and returns it with its secret key, which no later response contains: it is stored
 * sealed, bound to the row. Without scopes, the credential has no access.
 * @throws credential_name_required, invalid_input for an expiry in the past, scope_resource_not_found,
 * feature_missing for access to buckets, permission_required, limit_credentials
 */
export async function createCredential(
  context: OrganizationContext,
  input: z.input<typeof createCredentialInput>,
): Promise<CreateCredentialResult> {
  requireCredentialRight(context, 'credential.manage');
  const { name, description, expires_at, scopes, may_create_buckets } = createCredentialInput.parse(input);
  if (name === '') throw new AppError('credential_name_required');
  if (may_create_buckets || scopes.some(isOfBucket)) requireStorage(context);
  const { app, organization } = context;
  const now = app.clock.now();
  const expiresAt = expires_at ? Date.parse(expires_at) : null;
  if (expiresAt !== null && expiresAt <= now) throw invalidField('expires_at', 'must be in the future');
  const id = newId(now);
  const { publicKey, secretKey } = newKeys();
  const row = {
    id,
    organization_id: organization.id,
    name,
    description: description ? description : null,
    public_key: publicKey,
    secret_sealed: app.sealer.seal(secretKey, id),
    is_active: 1,
    created_by: actorName(context.actor),
    created_at: now,
    last_used_at: null,
    expires_at: expiresAt,
    publisher_id: null,
    may_publish: 1,
    may_create_buckets: may_create_buckets ? 1 : 0,
  };
  return inUnitOfWork(context, async ({ trx, audit }) => {
    const checked = await checkScopes(trx, organization.id, scopes);
    await requireLiveOrganization(trx, organization.id);
    await trx.insertInto('credentials').values(row).execute();
    await requireWithinLimits(trx, app, organization.id, ['credentials']);
    await replaceScopes(trx, id, checked);
    await audit({
      action: 'credential.create',
      resource_type: 'credential',
      resource_id: id,
      organization_id: organization.id,
      after: {
        name,
        public_key: row.public_key,
        expires_at: expires_at ?? null,
        scopes: checked,
        may_create_buckets,
      },
    });
    const named = await findScopes(trx, [id]);
    return { credential: toCredential(row, named.get(id) ?? []), secret_key: secretKey };
  });
}
