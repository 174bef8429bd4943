import { createHash } from 'node:crypto';
import type { z } from 'zod';
import type { App, RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { addressKey, type RateLimitName } from '#server/limits/rate-limits.ts';
import { findAccountByEmail } from '../queries.ts';
import { signInAccountInput } from '../schema.ts';
import { findKnownSubject, type KnownBrowser } from '../sessions/known-browser.ts';
import { verifyPassword } from './password-hash.ts';
import { requireUsableAccount } from './require-usable-account.ts';

/**
 * Returns the subject of the account with this email address and password. A wrong password and an unknown
 * address get the same response after the same work. Attempts are limited per address and, if wrong, per
 * account. Those of a browser that knows the account are counted separately, so that no one elsewhere can
 * lock its owner out.
 * @throws sign_in_failed, too_many_requests; account_blocked and account_unverified only for a correct
 * password. A person who still has to confirm the address gets another link.
 */
export async function authenticateAccount(
  context: RequestContext,
  input: z.input<typeof signInAccountInput>,
  browser: KnownBrowser | null = null,
): Promise<{ subject: string }> {
  const { app } = context;
  const { email, password } = signInAccountInput.parse(input);
  const address = addressKey(context.address);
  // Counted before the password is checked, so that concurrent guesses count one by one.
  const known = await findKnownSubject(app.db, browser, email);
  const counted =
    browser && known !== null
      ? await countAtKnownBrowser(app, browser, known)
      : await countElsewhere(app, address, email);
  const row = await findAccountByEmail(app.db, email);
  const isRight = await verifyPassword(password, row?.password_hash ?? null, address, known);
  if (!row || !isRight) throw new AppError('sign_in_failed');
  for (const [name, key] of counted) await app.rateLimits.forget(name, key);
  await requireUsableAccount(app, row);
  return { subject: String(row.number) };
}

/** The counts that a correct password resets. */
type Counted = readonly (readonly [RateLimitName, string])[];

/** @throws too_many_requests */
async function countAtKnownBrowser(app: App, browser: KnownBrowser, subject: string): Promise<Counted> {
  const counted = [
    ['sign_in_known_browser', `${subject} ${browser.id}`],
    ['sign_in_known_account', subject],
  ] as const;
  for (const [name, key] of counted) await app.rateLimits.consume(name, key);
  return counted;
}

/** @throws too_many_requests */
async function countElsewhere(app: App, address: string, email: string): Promise<Counted> {
  const account = createHash('sha256').update(email.toLowerCase()).digest('base64url');
  const counted = [
    ['sign_in_account', `${account} ${address}`],
    ['sign_in_account_anywhere', account],
  ] as const;
  await app.rateLimits.consume('sign_in_address', address);
  for (const [name, key] of counted) await app.rateLimits.consume(name, key);
  return counted;
}
