import { type RequestContext, requireOperator } from '#server/context.ts';
import { toInstant } from '../../shared/schema.ts';
import type { IdentityClient } from '../schema.ts';

/**
 * Returns the programs that sign people in with the embedded identity service, oldest first.
 * @throws operator_required
 */
export async function listIdentityClients(context: RequestContext): Promise<IdentityClient[]> {
  requireOperator(context, 'read');
  const rows = await context.app.db
    .selectFrom('identity_clients')
    .select(['client_id', 'name', 'redirect_uris', 'created_at'])
    .orderBy('created_at')
    .orderBy('client_id')
    .execute();
  return rows.map((row) => ({
    client_id: row.client_id,
    name: row.name,
    redirect_uris: JSON.parse(row.redirect_uris),
    created_at: toInstant(row.created_at),
  }));
}
