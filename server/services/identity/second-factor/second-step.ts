import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { findAccountBySubject } from '../queries.ts';
import { secondFactorCodeInput } from '../schema.ts';
import { countRecoveryCodes } from './recovery-codes.ts';
import { countCode, hasSecondFactor, recordSecondFactor, spendAnyCode } from './second-factor.ts';

const STEP_MS = 600_000;

/**
 * A sign-in with a correct password whose code is missing. It is stored with the interaction, on the server.
 */
export const halfSignInSchema = z.object({
  subject: z.string(),
  /** Identifies the password that was correct: if it changes, the sign-in starts over. */
  password_mark: z.string(),
  until: z.number(),
});
export type HalfSignIn = z.infer<typeof halfSignInSchema>;

/** Begins the second step of a sign-in by password; null for an account whose password is enough. */
export async function beginSecondStep({ app }: RequestContext, subject: string): Promise<HalfSignIn | null> {
  const account = await findAccountBySubject(app.db, subject);
  if (!account || !(await hasSecondFactor(app.db, account.number))) return null;
  return { subject, password_mark: markOf(account.password_hash), until: app.clock.now() + STEP_MS };
}

/**
 * Completes a sign-in with a code of the app or a recovery code; returns how many recovery codes are left if
 * one was used, otherwise null.
 * @throws second_factor_code_wrong, too_many_requests, account_blocked; sign_in_expired after ten minutes,
 * and when the password has changed meanwhile
 */
export async function finishSecondStep(
  context: RequestContext,
  half: HalfSignIn,
  input: z.input<typeof secondFactorCodeInput>,
): Promise<{ subject: string; recoveryCodesLeft: number | null }> {
  const { app } = context;
  const { code } = secondFactorCodeInput.parse(input);
  const account = await findAccountBySubject(app.db, half.subject);
  if (!account || half.until <= app.clock.now() || markOf(account.password_hash) !== half.password_mark) {
    throw new AppError('sign_in_expired');
  }
  if (account.blocked_at !== null) throw new AppError('account_blocked');
  const forget = await countCode(context, account.number);
  const recoveryCodesLeft = await inUnitOfWork(context, async (unit) => {
    const { trx } = unit;
    // If two-step sign-in was turned off meanwhile, the password is enough: starting over finds that out.
    if (!(await hasSecondFactor(trx, account.number))) throw new AppError('sign_in_expired');
    const kind = await spendAnyCode(trx, app, { account: account.number, code });
    if (kind === 'totp') return null;
    await recordSecondFactor(unit, app, account, 'code_used');
    return countRecoveryCodes(trx, account.number);
  });
  await forget();
  return { subject: half.subject, recoveryCodesLeft };
}

function markOf(passwordHash: string): string {
  return createHash('sha256').update(passwordHash).digest('base64url');
}
