import { inTransaction } from '#db/transaction.ts';
import type { App } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { AccountRow } from '../queries.ts';
import { findAccountLanguage } from './find-account-language.ts';
import { queueVerification } from './queue-verification.ts';

/**
 * Requires that an authenticated account may be used. A person who still has to confirm the address gets
 * another link.
 * @throws account_blocked, account_unverified
 */
export async function requireUsableAccount(app: App, account: AccountRow): Promise<void> {
  if (account.blocked_at !== null) throw new AppError('account_blocked');
  if (account.awaits_verification === 1) await refuseUnverified(app, account);
}

/**
 * Requires that an account's address is proven before other ways to sign in than its password are added:
 * whoever registered with another person's address would keep them after its owner has reset the password.
 * Where no email is sent, no address is ever proven, and none can be used to reset a password. A person who
 * still has to confirm the address gets another link.
 * @throws account_unverified
 */
export async function requireProvenAddress(app: App, account: AccountRow): Promise<void> {
  if (app.config.mail && account.email_verified_at === null) await refuseUnverified(app, account);
}

async function refuseUnverified(app: App, account: AccountRow): Promise<never> {
  if (await app.rateLimits.isWithin('mail_link_account', `verify ${account.number}`)) {
    await inTransaction(app.db, async (trx) => {
      await queueVerification(trx, app, account, await findAccountLanguage(trx, account, 'en-CA'));
    });
  }
  throw new AppError('account_unverified');
}
