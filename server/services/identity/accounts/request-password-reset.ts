import { createHash } from 'node:crypto';
import type { z } from 'zod';
import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { addressKey } from '#server/limits/rate-limits.ts';
import { queueMail } from '../../mail/queue-mail.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { findAccountByEmail } from '../queries.ts';
import { requestPasswordResetInput } from '../schema.ts';
import { findKnownSubject, type KnownBrowser } from '../sessions/known-browser.ts';
import { composePasswordReset } from './compose-account-mails.ts';
import { findAccountLanguage } from './find-account-language.ts';
import { createMailLink } from './mail-links.ts';

/**
 * Sends a link for choosing a new password to the account with this email address, if there is one. Neither
 * the response nor what is written nor the time it takes reveals whether there is. A new link invalidates the
 * older ones. One account gets a few an hour; further requests get the same response and the newest link stays
 * valid, so that strangers can neither keep the owner from a link nor fill a mailbox. A browser that knows
 * the account has its own quota.
 * @throws mail_not_configured, too_many_requests for one address or one browser that knows the account
 */
export async function requestPasswordReset(
  context: RequestContext,
  input: z.input<typeof requestPasswordResetInput>,
  browser: KnownBrowser | null = null,
): Promise<void> {
  const { app } = context;
  const { email, language } = requestPasswordResetInput.parse(input);
  if (!app.config.mail) throw new AppError('mail_not_configured');
  const key = createHash('sha256').update(email.toLowerCase()).digest('base64url');
  const known = await findKnownSubject(app.db, browser, email);
  if (browser && known !== null) {
    await app.rateLimits.consume('mail_link_known_browser', `${known} ${browser.id}`);
  } else {
    await app.rateLimits.consume('mail_link_address', addressKey(context.address));
    if (!(await app.rateLimits.isWithin('mail_link_account', key))) return;
  }
  await inUnitOfWork(context, async ({ trx, audit }) => {
    // From here on the same is done with or without an account, down to the rows.
    const account = await findAccountByEmail(trx, email);
    const wordsIn = await findAccountLanguage(trx, account, language);
    const { link, expiresAt } = await createMailLink(trx, app, account ?? nobody(key), 'reset_password');
    const resource = { resource_type: 'account', resource_id: account ? String(account.number) : 'none' };
    await queueMail(trx, app, {
      ...resource,
      recipient: account?.email ?? null,
      message: composePasswordReset(app, wordsIn, { email: account?.email ?? email, link }),
      expires_at: expiresAt,
    });
    await audit({ ...resource, action: 'account.reset_request', organization_id: null });
  });
}

/** Stands for an account that does not exist: account numbers are above zero, so its links lead nowhere. */
function nobody(key: string): { number: number; email: string } {
  return { number: -1 - Buffer.from(key, 'base64url').readUIntBE(0, 6), email: '' };
}
