import type { z } from 'zod';
import type { RequestContext } from '#server/context.ts';
import { HOUR_MS } from '#server/durations.ts';
import { AppError } from '#server/errors.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { requireOwnAccount } from '../accounts/require-own-account.ts';
import { type RecoveryCodes, secondFactorCodeInput } from '../schema.ts';
import { replaceRecoveryCodes } from './recovery-codes.ts';
import { countCode, recordSecondFactor, spendTotpCode } from './second-factor.ts';

/** How long a new secret waits for its first code. */
const SETUP_MS = HOUR_MS;

/**
 * Turns on two-step sign-in with a code of the started secret, and returns the recovery codes, only this
 * once.
 * @throws second_factor_code_wrong, second_factor_is_off when nothing was started within the hour or it is
 * already on, too_many_requests
 */
export async function confirmTotp(
  context: RequestContext,
  input: z.input<typeof secondFactorCodeInput>,
): Promise<RecoveryCodes> {
  const { app } = context;
  const { code } = secondFactorCodeInput.parse(input);
  const account = await requireOwnAccount(context);
  const forget = await countCode(context, account.number);
  const recovery_codes = await inUnitOfWork(context, async (unit) => {
    const { trx, now } = unit;
    const { numUpdatedRows } = await trx
      .updateTable('identity_totp')
      .set({ confirmed_at: now })
      .where('account_number', '=', account.number)
      .where('confirmed_at', 'is', null)
      .where('created_at', '>', now - SETUP_MS)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new AppError('second_factor_is_off');
    await spendTotpCode(trx, app, { account: account.number, code });
    await recordSecondFactor(unit, app, account, 'on');
    return replaceRecoveryCodes(trx, app.sealer, account.number);
  });
  await forget();
  return { recovery_codes };
}
