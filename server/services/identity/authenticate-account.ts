import { createHash } from 'node:crypto';
import type { z } from 'zod';
import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { addressKey } from '#server/rate-limits.ts';
import { verifyPassword } from './password-hash.ts';
import { findAccountByEmail } from './queries.ts';
import { signInAccountInput } from './schema.ts';

/**
 * Returns the subject of the account whose e-mail address and password these are. A wrong password and an unknown address
 * are the same answer after the same work. Attempts are limited per
 * address and, wrong ones, per account.
 * @throws sign_in_failed, too_many_requests
 */
export async function authenticateAccount(
  context: RequestContext,
  input: z.input<typeof signInAccountInput>,
): Promise<{ subject: string }> {
  const { app } = context;
  const { email, password } = signInAccountInput.parse(input);
  const limits = app.rateLimits;
  const account = createHash('sha256').update(email.toLowerCase()).digest('base64url');
  const address = addressKey(context.address);
  // Counted before the password is looked at, so that many guesses at once count one by one.
  await limits.consume('sign_in_address', address);
  await limits.consume('sign_in_account', `${account} ${address}`);
  await limits.consume('sign_in_account_anywhere', account);
  const row = await findAccountByEmail(app.db, email);
  const isRight = await verifyPassword(password, row?.password_hash ?? null);
  if (!row || !isRight) throw new AppError('sign_in_failed');
  await limits.forget('sign_in_account', `${account} ${address}`);
  await limits.forget('sign_in_account_anywhere', account);
  return { subject: String(row.number) };
}
