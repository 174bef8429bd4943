import type { Selectable } from 'kysely';
import { type Executor, isPostgres, type Trx } from '#db/client.ts';
import { preparedQuery } from '#db/prepared-query.ts';
import type { CredentialsTable } from '#db/schema/credentials.ts';
import type { CredentialScope } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { toInstant } from '../shared/schema.ts';
import type { Credential, Scope } from './schema.ts';

export type CredentialRow = Selectable<CredentialsTable>;
export type NamedScope = Credential['scopes'][number];

/** Starts a read of the credentials that people created in an organization, newest first. */
export function selectCredentials(executor: Executor, organizationId: string) {
  return executor
    .selectFrom('credentials')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('publisher_id', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc');
}

/** Returns the credentials that people created in an organization, or one of them, newest first. */
export async function findCredentials(
  executor: Executor,
  organizationId: string,
  credentialId?: string,
): Promise<CredentialRow[]> {
  return selectCredentials(executor, organizationId)
    .$if(credentialId !== undefined, (query) => query.where('id', '=', credentialId ?? ''))
    .execute();
}

/**
 * Returns a credential that a person created in the organization, and makes every other change of it wait until the
 * transaction ends.
 * @throws credential_not_found
 */
export async function lockCredential(
  trx: Trx,
  organizationId: string,
  credentialId: string,
): Promise<CredentialRow> {
  const row = await selectCredentials(trx, organizationId)
    .where('id', '=', credentialId)
    .$if(isPostgres(trx), (query) => query.forUpdate())
    .executeTakeFirst();
  if (!row) throw new AppError('credential_not_found');
  return row;
}

/** Returns the scopes of credentials with the names of their resources, by credential id. */
export async function findScopes(
  executor: Executor,
  credentialIds: readonly string[],
): Promise<Map<string, NamedScope[]>> {
  const scopes = new Map<string, NamedScope[]>(credentialIds.map((id) => [id, []]));
  if (credentialIds.length === 0) return scopes;
  const rows = await executor
    .selectFrom('credential_scopes')
    .leftJoin('sites', (join) =>
      join
        .onRef('sites.id', '=', 'credential_scopes.resource_id')
        .on('credential_scopes.resource_type', '=', 'site')
        .on('sites.deleted_at', 'is', null),
    )
    .leftJoin('buckets', (join) =>
      join
        .onRef('buckets.id', '=', 'credential_scopes.resource_id')
        .on('credential_scopes.resource_type', '=', 'bucket')
        .on('buckets.status', '!=', 'deleting'),
    )
    .selectAll('credential_scopes')
    .select(({ fn }) => fn.coalesce('sites.name', 'buckets.name').as('resource_name'))
    .where('credential_scopes.credential_id', 'in', [...credentialIds])
    .orderBy('credential_scopes.resource_type', 'desc')
    .orderBy('resource_name')
    .orderBy('credential_scopes.resource_id')
    .execute();
  for (const row of rows) {
    scopes.get(row.credential_id)?.push({
      resource_type: row.resource_type,
      resource_id: row.resource_id,
      permissions: parsePermissions(row.permissions),
      resource_name: row.resource_name,
    });
  }
  return scopes;
}

const selectScopes = preparedQuery((executor, credentialId: string) =>
  executor
    .selectFrom('credential_scopes')
    .select(['resource_type', 'resource_id', 'permissions'])
    .where('credential_id', '=', credentialId),
);

/** Returns the current scopes of a credential, in the form in which its requests are authorized. */
export async function findActorScopes(executor: Executor, credentialId: string): Promise<CredentialScope[]> {
  const scopes = await selectScopes(executor, credentialId);
  return scopes.map((scope) => ({ ...scope, permissions: parsePermissions(scope.permissions) }));
}

/** Replaces all scopes of a credential. */
export async function replaceScopes(trx: Trx, credentialId: string, scopes: readonly Scope[]): Promise<void> {
  await trx.deleteFrom('credential_scopes').where('credential_id', '=', credentialId).execute();
  if (scopes.length === 0) return;
  await trx
    .insertInto('credential_scopes')
    .values(
      scopes.map((scope) => ({
        credential_id: credentialId,
        resource_type: scope.resource_type,
        resource_id: scope.resource_id,
        permissions: JSON.stringify(scope.permissions),
      })),
    )
    .execute();
}

/** Returns the permissions a scope row stores. */
export function parsePermissions(stored: string): Scope['permissions'] {
  return JSON.parse(stored);
}

/** Returns the row for clients: without any form of the secret. */
export function toCredential(row: CredentialRow, scopes: NamedScope[]): Credential {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    public_key: row.public_key,
    is_active: row.is_active === 1,
    created_at: toInstant(row.created_at),
    last_used_at: toInstant(row.last_used_at),
    expires_at: toInstant(row.expires_at),
    scopes,
    may_create_buckets: row.may_create_buckets === 1,
  };
}
