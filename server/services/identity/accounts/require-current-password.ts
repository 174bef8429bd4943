import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { addressKey } from '#server/limits/rate-limits.ts';
import type { AccountRow } from '../queries.ts';
import { verifyPassword } from './password-hash.ts';

/**
 * Requires the account's password. Wrong ones are limited per account.
 * @throws current_password_wrong, too_many_requests
 */
export async function requireCurrentPassword(
  { app, address }: RequestContext,
  account: AccountRow,
  password: string | undefined,
): Promise<void> {
  const key = String(account.number);
  await app.rateLimits.consume('profile_account', key);
  if (!(await verifyPassword(password ?? '', account.password_hash, addressKey(address)))) {
    throw new AppError('current_password_wrong');
  }
  await app.rateLimits.forget('profile_account', key);
}
