import type { OrganizationContext } from '#server/context.ts';
import { findCredentials, findScopes, toCredential } from './queries.ts';
import { requireCredentialRight } from './require-credential-right.ts';
import type { Credential } from './schema.ts';

/** Returns the organization's credentials, newest first, without their secrets. */
export async function listCredentials(context: OrganizationContext): Promise<Credential[]> {
  requireCredentialRight(context, 'credential.read');
  const { db } = context.app;
  const rows = await findCredentials(db, context.organization.id);
  const scopes = await findScopes(
    db,
    rows.map((row) => row.id),
  );
  return rows.map((row) => toCredential(row, scopes.get(row.id) ?? []));
}
