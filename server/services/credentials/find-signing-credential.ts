import type { App } from '#server/context.ts';
import { noteUse } from './note-use.ts';
import { parsePermissions } from './queries.ts';
import { isPublicKey, isUsable } from './rules.ts';

/** A credential whose secret signs requests instead of being sent with them. */
export interface SigningCredential {
  readonly accessKeyId: string;
  readonly secretKey: string;
  readonly credentialId: string;
  readonly credentialName: string;
  readonly ownerId: string;
  readonly ownerName: string;
  /** And delete those that it reaches. */
  readonly mayCreateBuckets: boolean;
  mayReach(bucketId: string, permission: 'read' | 'write'): boolean;
}

/**
 * Returns the credential of a public key with its secret, or null when it cannot be used now: unknown,
 * expired, deleted, or of an organization that is suspended or gone. A suspended organization's data stays as
 * it is.
 */
export async function findSigningCredential(app: App, publicKey: string): Promise<SigningCredential | null> {
  if (!isPublicKey(publicKey)) return null;
  const row = await app.db
    .selectFrom('credentials')
    .innerJoin('organizations', 'organizations.id', 'credentials.organization_id')
    .selectAll('credentials')
    .select(['organizations.name as organization_name', 'organizations.suspended_at'])
    .where('public_key', '=', publicKey)
    .where('organizations.detached_at', 'is', null)
    .executeTakeFirst();
  const now = app.clock.now();
  if (row === undefined || row.suspended_at !== null || !isUsable(row, now)) return null;
  const scopes = await app.db
    .selectFrom('credential_scopes')
    .select(['resource_id', 'permissions'])
    .where('credential_id', '=', row.id)
    .where('resource_type', '=', 'bucket')
    .execute();
  const reached = new Set(
    scopes.flatMap((scope) =>
      parsePermissions(scope.permissions).map((permission) => `${permission} ${scope.resource_id}`),
    ),
  );
  await noteUse(app.db, row, now);
  return {
    accessKeyId: publicKey,
    secretKey: app.sealer.open(row.secret_sealed, row.id),
    credentialId: row.id,
    credentialName: row.name,
    ownerId: row.organization_id,
    ownerName: row.organization_name,
    mayCreateBuckets: row.may_create_buckets === 1,
    mayReach: (bucketId, permission) => reached.has(`${permission} ${bucketId}`),
  };
}
