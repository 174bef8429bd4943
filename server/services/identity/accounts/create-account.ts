import type { z } from 'zod';
import { isUniqueViolation } from '#db/unique-violation.ts';
import { type RequestContext, requireOperator } from '#server/context.ts';
import { AppError, invalidField } from '#server/errors.ts';
import { newToken } from '#server/ids.ts';
import { toInstant } from '../../shared/schema.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { findAccountByEmail } from '../queries.ts';
import { type CreatedAccount, createAccountInput } from '../schema.ts';
import { suggestLogin } from './account-rules.ts';
import { createMailLink } from './mail-links.ts';
import { hashPassword } from './password-hash.ts';

/**
 * Creates a local account, whatever REGISTRATION says, and returns a link for its owner to choose a password:
 * once, within an hour.
 * @throws operator_required, account_email_taken, account_login_taken; invalid_input when an issuer manages
 * the accounts, or when no user name can be derived from the address
 */
export async function createAccount(
  context: RequestContext,
  input: z.input<typeof createAccountInput>,
): Promise<CreatedAccount> {
  requireOperator(context, 'manage');
  const { app } = context;
  const { email, full_name, ...rest } = createAccountInput.parse(input);
  if (app.config.oidc) {
    const reason = 'this installation has no accounts of its own: OIDC_ISSUER is set';
    throw new AppError('invalid_input', { reason });
  }
  const login = rest.login ?? suggestLogin(email);
  if (login === '') throw invalidField('login', 'name one');
  // A random password that is never shown: the link is the only way in.
  const passwordHash = await hashPassword(newToken(), '');
  const now = app.clock.now();
  const account = { email, login, full_name, created_at: now, updated_at: now };
  try {
    return await inUnitOfWork(context, async ({ trx, audit }) => {
      const { number } = await trx
        .insertInto('identity_accounts')
        .values({
          ...account,
          email_key: email.toLowerCase(),
          login_key: login,
          password_hash: passwordHash,
          avatar_url: null,
          language: null,
          email_verified_at: null,
        })
        .returning('number')
        .executeTakeFirstOrThrow();
      const { link, expiresAt } = await createMailLink(trx, app, { number, email }, 'reset_password');
      await audit({
        action: 'account.create',
        resource_type: 'account',
        resource_id: String(number),
        organization_id: null,
        after: { login, email, full_name },
      });
      return { id: `account-${number}`, login, email, link, expires_at: toInstant(expiresAt) };
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    // An account with both is the same person's: the name, perhaps derived from the address, is not what is wrong.
    if (await findAccountByEmail(app.db, email)) throw new AppError('account_email_taken');
    throw new AppError('account_login_taken', { login });
  }
}
