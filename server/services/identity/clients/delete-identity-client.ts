import type { z } from 'zod';
import { type RequestContext, requireOperator } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { deleteIdentityClientInput } from '../schema.ts';

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
  await inUnitOfWork(context, async ({ trx, audit }) => {
    const deleted = await trx
      .deleteFrom('identity_clients')
      .where('client_id', '=', client_id)
      .returning(['name', 'redirect_uris'])
      .executeTakeFirst();
    if (!deleted) throw new AppError('not_found');
    await audit({
      action: 'identity_client.delete',
      resource_type: 'identity_client',
      resource_id: client_id,
      organization_id: null,
      before: { name: deleted.name, redirect_uris: JSON.parse(deleted.redirect_uris) },
    });
  });
}
