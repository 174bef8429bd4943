import type { ExpressionBuilder, Selectable } from 'kysely';
import type { Executor, Trx } from '#db/client.ts';
import type { Database } from '#db/schema/database.ts';
import type { OperatorTokensTable } from '#db/schema/operator-tokens.ts';
import type { OrganizationsTable } from '#db/schema/organizations.ts';
import { AppError } from '#server/errors.ts';
import type { EdgeChange } from '#server/services/edge-changes/edge-changes.ts';
import { EMBEDDED_ISSUER } from '../identity/rules.ts';
import { isPersonal } from '../organizations/rules.ts';
import { toInstant } from '../shared/schema.ts';
import type { OperatorToken, OrganizationForOperator } from './schema.ts';

export type OrganizationRow = Selectable<OrganizationsTable>;

/** Returns the row as it goes over the wire: without any form of the token. */
export function toOperatorToken(row: Omit<Selectable<OperatorTokensTable>, 'token_hash'>): OperatorToken {
  return {
    id: row.id,
    name: row.name,
    access: row.access,
    created_at: toInstant(row.created_at),
    last_used_at: toInstant(row.last_used_at),
    expires_at: toInstant(row.expires_at),
    revoked_at: toInstant(row.revoked_at),
  };
}

/**
 * Returns the organization with a reference: an id before an external id before a handle, so that no
 * customer's handle can stand in for another organization.
 * @throws organization_not_found; invalid_input for a handle that several organizations have at different
 * issuers
 */
export async function requireOrganizationRow(
  executor: Executor,
  reference: string,
): Promise<OrganizationRow> {
  for (const column of ['id', 'external_id', 'handle'] as const) {
    const rows = await executor
      .selectFrom('organizations')
      .selectAll()
      .where(column, '=', reference)
      .limit(2)
      .execute();
    if (rows.length > 1) {
      const reason = `several organizations have the handle ${reference}; use the id of one`;
      throw new AppError('invalid_input', { reason });
    }
    if (rows[0]) return rows[0];
  }
  throw new AppError('organization_not_found');
}

/**
 * Returns the organization with a reference and makes every other writer of its row wait until this
 * transaction ends. Call it first: on SQLite, a transaction that begins by writing never has to be repeated.
 * @throws organization_not_found, invalid_input
 */
export async function lockOrganization(trx: Trx, reference: string): Promise<OrganizationRow> {
  await trx
    .updateTable('organizations')
    .set((eb) => ({ updated_at: eb.ref('updated_at') }))
    .where((eb) =>
      eb.or([eb('id', '=', reference), eb('external_id', '=', reference), eb('handle', '=', reference)]),
    )
    .execute();
  return requireOrganizationRow(trx, reference);
}

/**
 * Returns everything of the organization that edges may have cached: its sites, including those that can
 * still be restored, and the hostnames of its endpoints.
 */
export async function listEdgeChangesOf(executor: Executor, organizationId: string): Promise<EdgeChange[]> {
  const sites = await executor
    .selectFrom('sites')
    .select('id')
    .where('organization_id', '=', organizationId)
    .orderBy('id')
    .execute();
  const endpoints = await executor
    .selectFrom('cdn_endpoints')
    .select('hostname')
    .where('organization_id', '=', organizationId)
    .orderBy('hostname')
    .execute();
  return [
    ...sites.map(({ id }) => ({ site_id: id, hostname: null })),
    ...endpoints.map(({ hostname }) => ({ site_id: null, hostname })),
  ];
}

/** Whether an organization row is a personal workspace, for a where clause. */
export function isPersonalRow(eb: ExpressionBuilder<Database, 'organizations'>) {
  return eb('organizations.external_id', 'like', 'personal-%');
}

/** Returns the row as operators see it in a list. */
export function toOrganizationForOperator(row: OrganizationRow): OrganizationForOperator {
  return {
    id: row.id,
    external_id: row.external_id,
    kind: isPersonal(row.external_id) ? 'personal' : 'named',
    name: row.name,
    handle: row.handle,
    features: JSON.parse(row.features),
    is_managed_here: row.issuer === EMBEDDED_ISSUER,
    suspended_at: toInstant(row.suspended_at),
    suspension_reason: row.suspension_reason,
    detached_at: toInstant(row.detached_at),
    created_at: toInstant(row.created_at),
  };
}
