import type { Trx } from '#db/client.ts';
import type { App, RequestContext } from '#server/context.ts';
import { addressKey } from '#server/limits/rate-limits.ts';
import { queueMail } from '../../mail/queue-mail.ts';
import type { Language } from '../rules.ts';
import { composeVerification } from './compose-account-mails.ts';
import { createMailLink } from './mail-links.ts';

/**
 * Sends the link that verifies an account's address, in the transaction that set the address. Does nothing
 * without email.
 */
export async function queueVerification(
  trx: Trx,
  app: App,
  account: { number: number; email: string },
  language: Language,
): Promise<void> {
  if (!app.config.mail) return;
  const { link, expiresAt } = await createMailLink(trx, app, account, 'verify_email');
  await queueMail(trx, app, {
    recipient: account.email,
    message: composeVerification(app, language, { email: account.email, link }),
    resource_type: 'account',
    resource_id: String(account.number),
    expires_at: expiresAt,
  });
}

/**
 * Counts a verification link that an account's owner requests, again or for another address.
 * @throws too_many_requests
 */
export async function countVerification({ app, address }: RequestContext, subject: string): Promise<void> {
  await app.rateLimits.consume('mail_link_address', addressKey(address));
  await app.rateLimits.consume('mail_link_account', `verify ${subject}`);
}
