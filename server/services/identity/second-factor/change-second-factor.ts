import type { z } from 'zod';
import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { inUnitOfWork, type UnitOfWork } from '../../shared/unit-of-work.ts';
import { requireCurrentPassword } from '../accounts/require-current-password.ts';
import { requireOwnAccount } from '../accounts/require-own-account.ts';
import type { AccountRow } from '../queries.ts';
import { changeSecondFactorInput, type RecoveryCodes } from '../schema.ts';
import { replaceRecoveryCodes } from './recovery-codes.ts';
import {
  countCode,
  deleteSecondFactor,
  hasSecondFactor,
  recordSecondFactor,
  spendAnyCode,
} from './second-factor.ts';

type Input = z.input<typeof changeSecondFactorInput>;

/**
 * Returns ten new recovery codes, only this once; the old ones stop working.
 * @throws current_password_wrong, second_factor_code_wrong, second_factor_is_off, too_many_requests
 */
export async function renewRecoveryCodes(context: RequestContext, input: Input): Promise<RecoveryCodes> {
  return change(context, input, async (unit, account) => {
    await recordSecondFactor(unit, context.app, account, 'codes');
    return { recovery_codes: await replaceRecoveryCodes(unit.trx, context.app.sealer, account.number) };
  });
}

/** Turns off two-step sign-in. @throws as {@link renewRecoveryCodes} */
export async function removeSecondFactor(context: RequestContext, input: Input): Promise<object> {
  return change(context, input, async (unit, account) => {
    await deleteSecondFactor(unit.trx, account.number);
    await recordSecondFactor(unit, context.app, account, 'off');
    return {};
  });
}

/** Makes a change for which the owner must provide the password and a code. */
async function change<T>(
  context: RequestContext,
  input: Input,
  apply: (unit: UnitOfWork, account: AccountRow) => Promise<T>,
): Promise<T> {
  const { app } = context;
  const { current_password, code } = changeSecondFactorInput.parse(input);
  const account = await requireOwnAccount(context);
  await requireCurrentPassword(context, account, current_password);
  if (!(await hasSecondFactor(app.db, account.number))) throw new AppError('second_factor_is_off');
  const forget = await countCode(context, account.number);
  const result = await inUnitOfWork(context, async (unit) => {
    await spendAnyCode(unit.trx, app, { account: account.number, code });
    return apply(unit, account);
  });
  await forget();
  return result;
}
