import type { z } from 'zod';
import type { Trx } from '#db/client.ts';
import type { App, RequestContext } from '#server/context.ts';
import { AppError, invalidField } from '#server/errors.ts';
import { addressKey } from '#server/limits/rate-limits.ts';
import { queueMail } from '../../mail/queue-mail.ts';
import { inUnitOfWork, type UnitOfWork } from '../../shared/unit-of-work.ts';
import { type AccountRow, endIdentitySessions } from '../queries.ts';
import { EMBEDDED_ISSUER } from '../rules.ts';
import { resetPasswordInput } from '../schema.ts';
import { recordSecondFactor } from '../second-factor/second-factor.ts';
import { PASSWORD_PROBLEM_MESSAGE, passwordProblem } from './account-rules.ts';
import { composePasswordChanged } from './compose-account-mails.ts';
import { endAccountSessions } from './end-account-sessions.ts';
import { findAccountLanguage } from './find-account-language.ts';
import { findMailLink, useUpMailLink } from './mail-links.ts';
import { hashPassword } from './password-hash.ts';

/**
 * Sets a new password for the account of a link and returns its subject and the address to sign in with. This
 * uses up the link, and every browser and program that is signed in as the person is signed out. The owner is
 * notified by email. Passkeys of an account whose address was never proven are removed: they may be those of
 * someone who gave another person's address.
 * @throws mail_link_invalid, also for the later of two concurrent requests; invalid_input for a password that
 * may not be used; too_many_requests
 */
export async function resetPassword(
  context: RequestContext,
  input: z.input<typeof resetPasswordInput>,
): Promise<{ subject: string; email: string }> {
  const { app } = context;
  const { token, password, language } = resetPasswordInput.parse(input);
  const found = await findMailLink(app.db, app, token, 'reset_password');
  if (!found || found.link.used_at !== null) throw new AppError('mail_link_invalid');
  const { account, link } = found;
  const problem = passwordProblem(password, account.email);
  if (problem) throw invalidField('password', PASSWORD_PROBLEM_MESSAGE[problem]);
  const passwordHash = await hashPassword(password, addressKey(context.address));
  const subject = String(account.number);
  await inUnitOfWork(context, async (unit) => {
    const { trx, now, audit } = unit;
    if (!(await useUpMailLink(trx, app, link.token_hash))) throw new AppError('mail_link_invalid');
    const changed = await trx
      .updateTable('identity_accounts')
      // Having the link proves that the person reads the address, or got it from an operator.
      .set({ password_hash: passwordHash, awaits_verification: 0, updated_at: now })
      .where('number', '=', account.number)
      // The address may have changed since the link was read; then it belongs to another address.
      .where('email_key', '=', account.email_key)
      .executeTakeFirst();
    if (changed.numUpdatedRows === 0n) throw new AppError('mail_link_invalid');
    await endEverySession(trx, app, subject);
    if (app.config.mail && account.email_verified_at === null) await removePasskeys(unit, app, account);
    await audit({
      action: 'account.password_reset',
      resource_type: 'account',
      resource_id: subject,
      organization_id: null,
    });
    await queueMail(trx, app, {
      recipient: account.email,
      message: composePasswordChanged(app, await findAccountLanguage(trx, account, language), account),
      resource_type: 'account',
      resource_id: subject,
    });
  });
  return { subject, email: account.email };
}

/** Removes every passkey of an account, and tells its owner if there was one. */
async function removePasskeys(unit: UnitOfWork, app: App, account: AccountRow): Promise<void> {
  const { numDeletedRows } = await unit.trx
    .deleteFrom('identity_passkeys')
    .where('account_number', '=', account.number)
    .executeTakeFirstOrThrow();
  if (numDeletedRows > 0n) await recordSecondFactor(unit, app, account, 'passkey_removed');
}

/** Signs the person out of the console and of the identity service, in every browser. */
async function endEverySession(trx: Trx, app: App, subject: string): Promise<void> {
  const ended = await trx
    .deleteFrom('sessions')
    .where('user_id', 'in', (eb) =>
      eb
        .selectFrom('users')
        .select('id')
        .where('issuer', '=', EMBEDDED_ISSUER)
        .where('subject', '=', subject),
    )
    .returning('identity_session')
    .execute();
  await endIdentitySessions(
    trx,
    ended.map((session) => session.identity_session),
  );
  await endAccountSessions(trx, { sealer: app.sealer, subject, except: null });
}
