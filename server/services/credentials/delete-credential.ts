import type { z } from 'zod';
import type { OrganizationContext } from '#server/context.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { lockCredential } from './queries.ts';
import { requireCredentialRight } from './require-credential-right.ts';
import { credentialInput } from './schema.ts';

/**
 * Deletes a credential; the next request with it is refused.
 * @throws credential_not_found, permission_required
 */
export async function deleteCredential(
  context: OrganizationContext,
  input: z.input<typeof credentialInput>,
): Promise<void> {
  requireCredentialRight(context, 'credential.manage');
  const { credential_id } = credentialInput.parse(input);
  const { organization } = context;
  await inUnitOfWork(context, async ({ trx, audit }) => {
    const row = await lockCredential(trx, organization.id, credential_id);
    await trx.deleteFrom('credentials').where('id', '=', row.id).execute();
    await audit({
      action: 'credential.delete',
      resource_type: 'credential',
      resource_id: row.id,
      organization_id: organization.id,
      before: { name: row.name, public_key: row.public_key },
    });
  });
}
