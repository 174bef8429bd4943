import type { z } from 'zod';
import { inTransaction } from '#db/transaction.ts';
import { type RequestContext, requirePerson } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { findAccountBySubject, findUser } from '../queries.ts';
import { EMBEDDED_ISSUER } from '../rules.ts';
import { requestVerificationInput } from '../schema.ts';
import { findAccountLanguage } from './find-account-language.ts';
import { countVerification, queueVerification } from './queue-verification.ts';

/**
 * Sends the link that verifies the signed-in person's address again; the older one no longer works. Nothing
 * is sent to an address that is already verified.
 * @throws not_found when the person signed in elsewhere; mail_not_configured, too_many_requests
 */
export async function requestVerification(
  context: RequestContext,
  input: z.input<typeof requestVerificationInput>,
): Promise<{ email: string }> {
  const person = requirePerson(context);
  const { app } = context;
  const { language } = requestVerificationInput.parse(input);
  if (!app.config.mail) throw new AppError('mail_not_configured');
  const user = await findUser(app.db, person.userId);
  if (user?.issuer !== EMBEDDED_ISSUER) throw new AppError('not_found');
  await countVerification(context, user.subject);
  return inTransaction(app.db, async (trx) => {
    const account = await findAccountBySubject(trx, user.subject);
    if (!account) throw new AppError('not_found');
    if (account.email_verified_at === null) {
      await queueVerification(trx, app, account, await findAccountLanguage(trx, account, language));
    }
    return { email: account.email };
  });
}
