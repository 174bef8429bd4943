import type { z } from 'zod';
import { inTransaction } from '#db/transaction.ts';
import { isUniqueViolation } from '#db/unique-violation.ts';
import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { addressKey } from '#server/rate-limits.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { hashPassword } from './password-hash.ts';
import { findAccountByEmail } from './queries.ts';
import { queueVerification } from './queue-verification.ts';
import { registerAccountInput } from './schema.ts';

/**
 * Makes an account at the embedded identity service and returns its subject. The person of the console comes into being
 * at the first sign-in. Where e-mail is sent, a link that verifies the address goes to it.
 * @throws account_email_taken, account_login_taken, invalid_input, too_many_requests
 */
export async function registerAccount(
  context: RequestContext,
  input: z.input<typeof registerAccountInput>,
): Promise<{ subject: string }> {
  const { app } = context;
  const { full_name, login, email, password, language } = registerAccountInput.parse(input);
  const address = addressKey(context.address);
  await app.rateLimits.consume('registration_address', address);
  const passwordHash = await hashPassword(password, address);
  const now = app.clock.now();
  try {
    return await inTransaction(app.db, async (trx) => {
      const { number } = await trx
        .insertInto('identity_accounts')
        .values({
          email,
          email_key: email.toLowerCase(),
          login,
          login_key: login,
          full_name,
          password_hash: passwordHash,
          avatar_url: null,
          language: language ?? null,
          email_verified_at: null,
          created_at: now,
          updated_at: now,
        })
        .returning('number')
        .executeTakeFirstOrThrow();
      await recordAudit(trx, context, {
        action: 'account.register',
        resource_type: 'account',
        resource_id: String(number),
        organization_id: null,
        after: { login, email, full_name },
      });
      await queueVerification(trx, app, { number, email }, language ?? 'en-CA');
      return { subject: String(number) };
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    const isEmail = (await findAccountByEmail(app.db, email)) !== null;
    throw isEmail
      ? new AppError('account_email_taken', {}, [
          { path: 'email', message: 'This address has an account already' },
        ])
      : new AppError('account_login_taken', { login }, [
          { path: 'login', message: 'This user name is taken' },
        ]);
  }
}
