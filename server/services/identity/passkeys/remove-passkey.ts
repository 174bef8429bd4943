import type { z } from 'zod';
import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { requireOwner } from '../accounts/require-owner.ts';
import { removePasskeyInput } from '../schema.ts';
import { recordSecondFactor } from '../second-factor/second-factor.ts';

/**
 * Removes a passkey from the signed-in person's account.
 * @throws as {@link requireOwner}; passkey_not_found
 */
export async function removePasskey(
  context: RequestContext,
  input: z.input<typeof removePasskeyInput>,
): Promise<object> {
  const { id, ...shown } = removePasskeyInput.parse(input);
  const account = await requireOwner(context, shown);
  await inUnitOfWork(context, async (unit) => {
    const { trx } = unit;
    const { numDeletedRows } = await trx
      .deleteFrom('identity_passkeys')
      .where('credential_id', '=', id)
      .where('account_number', '=', account.number)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw new AppError('passkey_not_found');
    await recordSecondFactor(unit, context.app, account, 'passkey_removed');
  });
  return {};
}
