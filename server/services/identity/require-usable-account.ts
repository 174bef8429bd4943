import { inTransaction } from '#db/transaction.ts';
import type { App } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { findAccountLanguage } from './find-account-language.ts';
import type { AccountRow } from './queries.ts';
import { queueVerification } from './queue-verification.ts';

/**
 * Requires that an authenticated account may be used. A person who still has to confirm the address gets
 * another link.
 * @throws account_blocked, account_unverified
 */
export async function requireUsableAccount(app: App, account: AccountRow): Promise<void> {
  if (account.blocked_at !== null) throw new AppError('account_blocked');
  if (account.awaits_verification === 0) return;
  if (await app.rateLimits.isWithin('mail_link_account', `verify ${account.number}`)) {
    await inTransaction(app.db, async (trx) => {
      await queueVerification(trx, app, account, await findAccountLanguage(trx, account, 'en-CA'));
    });
  }
  throw new AppError('account_unverified');
}
