import type { z } from 'zod';
import type { Trx } from '#db/client.ts';
import { isUniqueViolation } from '#db/unique-violation.ts';
import { type App, type PersonActor, type RequestContext, requirePerson } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { addressKey } from '#server/limits/rate-limits.ts';
import { queueMail } from '../../mail/queue-mail.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import {
  type AccountRow,
  endIdentitySessions,
  findAccountByEmail,
  findPersonalOrganizationId,
  toAccount,
} from '../queries.ts';
import { type Account, updateAccountInput } from '../schema.ts';
import { composeEmailChanged, composePasswordChanged } from './compose-account-mails.ts';
import { endAccountSessions } from './end-account-sessions.ts';
import { findAccountLanguage } from './find-account-language.ts';
import { voidMailLinks } from './mail-links.ts';
import { hashPassword } from './password-hash.ts';
import { countVerification, queueVerification } from './queue-verification.ts';
import { requireCurrentPassword } from './require-current-password.ts';
import { requireOwnAccount } from './require-own-account.ts';

/**
 * Stores the signed-in person's profile at the embedded identity service and in the console, and returns it
 * as saved. A new email address or password needs the current password; a new password ends every other
 * session of the person. Storing the same again changes and records nothing.
 * @throws not_found when the person signed in elsewhere; current_password_wrong, account_email_taken,
 * account_login_taken, too_many_requests
 */
export async function updateAccount(
  context: RequestContext,
  input: z.input<typeof updateAccountInput>,
): Promise<Account> {
  const person = requirePerson(context);
  const { app } = context;
  const { current_password, new_password, ...profile } = updateAccountInput.parse(input);
  const account = await requireOwnAccount(context);
  const login = profile.login ?? account.login;
  const saved = { full_name: profile.full_name, login, email: profile.email, avatar_url: profile.avatar_url };
  const isSame = PROFILE.every((name) => saved[name] === account[name]);
  if (isSame && new_password === undefined) return toAccount(account);
  const isNewEmail = profile.email.toLowerCase() !== account.email_key;
  if (isNewEmail || login !== account.login) await countClaim(context, account);
  if (isNewEmail || new_password !== undefined)
    await requireCurrentPassword(context, account, current_password);
  if (new_password !== undefined)
    await app.rateLimits.consume('password_change_account', String(account.number));
  if (isNewEmail && app.config.mail) await countVerification(context, String(account.number));
  const passwordHash =
    new_password === undefined
      ? account.password_hash
      : await hashPassword(new_password, addressKey(context.address));
  try {
    await inUnitOfWork(context, async ({ trx, now, audit }) => {
      // What was read above is checked again: another password or address must not be overwritten.
      const updated = await trx
        .updateTable('identity_accounts')
        .set({
          ...saved,
          email_key: saved.email.toLowerCase(),
          login_key: login,
          password_hash: passwordHash,
          // Otherwise it may have been verified meanwhile.
          ...(isNewEmail && { email_verified_at: null }),
          updated_at: now,
        })
        .where('number', '=', account.number)
        .where('password_hash', '=', account.password_hash)
        .where('email_key', '=', account.email_key)
        .executeTakeFirst();
      if (updated.numUpdatedRows === 0n) throw new AppError('conflict');
      await mirrorProfile(trx, person, saved, now);
      if (new_password !== undefined) await endOtherSessions(app, trx, person, String(account.number));
      await audit({
        action: new_password === undefined ? 'account.update' : 'account.password',
        resource_type: 'account',
        resource_id: String(account.number),
        organization_id: null,
        before: { ...toAccount(account) },
        after: saved,
      });
      await tellOwner(trx, app, account, {
        isNewEmail,
        newEmail: saved.email,
        isNewPassword: new_password !== undefined,
      });
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    const holder = await findAccountByEmail(app.db, saved.email);
    throw holder && holder.number !== account.number
      ? new AppError('account_email_taken')
      : new AppError('account_login_taken', { login });
  }
  return { ...saved, email_verified: !isNewEmail && account.email_verified_at !== null };
}

const PROFILE = ['full_name', 'login', 'email', 'avatar_url'] as const;

/**
 * Notifies the owner of the change, in case someone else made it: at the old address, because the new one may
 * be another person's. Earlier links become invalid; the new address gets one that verifies it.
 */
async function tellOwner(
  trx: Trx,
  app: App,
  account: AccountRow,
  change: { isNewEmail: boolean; newEmail: string; isNewPassword: boolean },
): Promise<void> {
  if (!change.isNewEmail && !change.isNewPassword) return;
  const language = await findAccountLanguage(trx, account, 'en-CA');
  const mail = {
    recipient: account.email,
    resource_type: 'account',
    resource_id: String(account.number),
  };
  await voidMailLinks(trx, account.number, change.isNewEmail ? undefined : 'reset_password');
  if (change.isNewPassword)
    await queueMail(trx, app, { ...mail, message: composePasswordChanged(app, language, account) });
  if (change.isNewEmail) {
    await queueMail(trx, app, { ...mail, message: composeEmailChanged(app, language, account) });
    await queueVerification(trx, app, { number: account.number, email: change.newEmail }, language);
  }
}

/**
 * Counts a requested name or address that may be taken, before that is checked.
 * @throws too_many_requests
 */
async function countClaim({ app, address }: RequestContext, account: AccountRow): Promise<void> {
  await app.rateLimits.consume('profile_claim_account', String(account.number));
  await app.rateLimits.consume('profile_claim_address', addressKey(address));
}

/** Shows the profile in the console immediately, not only after the next sign-in. */
async function mirrorProfile(
  trx: Trx,
  person: PersonActor,
  saved: Omit<Account, 'email_verified'>,
  now: number,
): Promise<void> {
  await trx
    .updateTable('users')
    .set({ ...saved, updated_at: now })
    .where('id', '=', person.userId)
    .execute();
  const organizationId = await findPersonalOrganizationId(trx, person.userId);
  if (!organizationId) return;
  await trx
    .updateTable('organizations')
    .set({ name: saved.full_name, avatar_url: saved.avatar_url, updated_at: now })
    .where('id', '=', organizationId)
    .execute();
}

async function endOtherSessions(
  { sealer }: App,
  trx: Trx,
  person: PersonActor,
  subject: string,
): Promise<void> {
  const sessions = await trx
    .selectFrom('sessions')
    .select(['id', 'identity_session'])
    .where('user_id', '=', person.userId)
    .execute();
  const own = sessions.find(({ id }) => id === person.sessionId)?.identity_session ?? null;
  const others = sessions.filter(({ id }) => id !== person.sessionId);
  await trx
    .deleteFrom('sessions')
    .where('user_id', '=', person.userId)
    .where('id', '!=', person.sessionId)
    .execute();
  await endIdentitySessions(
    trx,
    others.map(({ identity_session }) => identity_session).filter((uid) => uid !== own),
  );
  await endAccountSessions(trx, { sealer, subject, except: own });
}
