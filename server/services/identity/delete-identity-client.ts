import type { z } from 'zod';
import { inTransaction } from '#db/transaction.ts';
import { type RequestContext, requireOperator } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { deleteIdentityClientInput } from './schema.ts';

/**
 * Stops another program from signing people in; every token that it holds is refused from now on.
 * @throws operator_required, not_found
 */
export async function deleteIdentityClient(
  context: RequestContext,
  input: z.input<typeof deleteIdentityClientInput>,
): Promise<void> {
  requireOperator(context, 'manage');
  const { client_id } = deleteIdentityClientInput.parse(input);
  await inTransaction(context.app.db, async (trx) => {
    const deleted = await trx
      .deleteFrom('identity_clients')
      .where('client_id', '=', client_id)
      .returning(['name', 'redirect_uris'])
      .executeTakeFirst();
    if (!deleted) throw new AppError('not_found');
    await recordAudit(trx, context, {
      action: 'identity_client.delete',
      resource_type: 'identity_client',
      resource_id: client_id,
      organization_id: null,
      before: { name: deleted.name, redirect_uris: JSON.parse(deleted.redirect_uris) },
    });
  });
}
