import type { z } from 'zod';
import { isUniqueViolation } from '#db/unique-violation.ts';
import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { addressKey } from '#server/limits/rate-limits.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { findAccountByEmail, findAccountByLogin } from '../queries.ts';
import { registerAccountInput } from '../schema.ts';
import { admitNewcomer } from '../sign-in/admit-newcomer.ts';
import { hashPassword } from './password-hash.ts';
import { queueVerification } from './queue-verification.ts';

/**
 * Creates an account at the embedded identity service and returns its subject. The person of the console is
 * created at the first sign-in. When email is configured, a link that verifies the address is sent to it; an
 * account that is admitted by the domain of its address can be used only after that. An invitation admits one
 * account.
 * @throws registration_closed, account_email_taken, account_login_taken, invalid_input, too_many_requests
 */
export async function registerAccount(
  context: RequestContext,
  input: z.input<typeof registerAccountInput>,
  invitationToken: string | null = null,
): Promise<{ subject: string; awaitsVerification: boolean }> {
  const { app } = context;
  const { full_name, login, email, password, language } = registerAccountInput.parse(input);
  const address = addressKey(context.address);
  await app.rateLimits.consume('registration_address', address);
  const newcomer = { email, isEmailProven: false, groups: [], invitationToken };
  await admitNewcomer(app.db, app, newcomer);
  const passwordHash = await hashPassword(password, address);
  try {
    return await inUnitOfWork(context, async ({ trx, now, audit }) => {
      const { awaitsVerification, invitationId } = await admitNewcomer(trx, app, newcomer);
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
          awaits_verification: awaitsVerification ? 1 : 0,
          invitation_id: invitationId,
          created_at: now,
          updated_at: now,
        })
        .returning('number')
        .executeTakeFirstOrThrow();
      await audit({
        action: 'account.register',
        resource_type: 'account',
        resource_id: String(number),
        organization_id: null,
        after: { login, email, full_name, ...(invitationId && { invitation_id: invitationId }) },
      });
      await queueVerification(trx, app, { number, email }, language ?? 'en-CA');
      return { subject: String(number), awaitsVerification };
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    if (await findAccountByEmail(app.db, email)) throw new AppError('account_email_taken');
    // The invitation has already admitted a person, although the name is free.
    if (!(await findAccountByLogin(app.db, login))) throw new AppError('registration_closed');
    throw new AppError('account_login_taken', { login });
  }
}
