import { type RequestContext, requirePerson } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { findAccountBySubject, findUser, toAccount } from './queries.ts';
import { EMBEDDED_ISSUER } from './rules.ts';
import type { Account } from './schema.ts';

/**
 * Returns the signed-in person's account at the embedded identity service.
 * @throws not_found when the person signed in somewhere else
 */
export async function getAccount(context: RequestContext): Promise<Account> {
  const person = requirePerson(context);
  const user = await findUser(context.app.db, person.userId);
  const account =
    user?.issuer === EMBEDDED_ISSUER ? await findAccountBySubject(context.app.db, user.subject) : null;
  if (!account) throw new AppError('not_found');
  return toAccount(account);
}
