import type { z } from 'zod';
import { type RequestContext, requireOperator } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { findAccountByEmail } from '../queries.ts';
import { resetSecondFactorInput } from '../schema.ts';
import { deleteSecondFactor, recordSecondFactor } from './second-factor.ts';

/**
 * Turns off two-step sign-in for a person who has lost the app and recovery codes; the operator has verified
 * who asks.
 * @throws not_found when there is no such account here; second_factor_is_off, unauthenticated,
 * operator_required
 */
export async function resetSecondFactor(
  context: RequestContext,
  input: z.input<typeof resetSecondFactorInput>,
): Promise<{ email: string }> {
  requireOperator(context, 'manage');
  const { app } = context;
  const { email } = resetSecondFactorInput.parse(input);
  return inUnitOfWork(context, async (unit) => {
    const { trx } = unit;
    const account = app.config.oidc === null ? await findAccountByEmail(trx, email) : null;
    if (!account) throw new AppError('not_found');
    if (!(await deleteSecondFactor(trx, account.number))) throw new AppError('second_factor_is_off');
    await recordSecondFactor(unit, app, account, 'reset');
    return { email: account.email };
  });
}
