import type { z } from 'zod';
import type { OrganizationContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { findCredentials, findScopes, toCredential } from './queries.ts';
import { requireCredentialRight } from './require-credential-right.ts';
import { type Credential, credentialInput } from './schema.ts';

/** Returns a credential of the organization without its secret. @throws credential_not_found */
export async function getCredential(
  context: OrganizationContext,
  input: z.input<typeof credentialInput>,
): Promise<Credential> {
  requireCredentialRight(context, 'credential.read');
  const { credential_id } = credentialInput.parse(input);
  const [row] = await findCredentials(context.app.db, context.organization.id, credential_id);
  if (!row) throw new AppError('credential_not_found');
  const scopes = await findScopes(context.app.db, [row.id]);
  return toCredential(row, scopes.get(row.id) ?? []);
}
