import { type RequestContext, requirePerson } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { type AccountRow, findAccountBySubject, findUser } from '../queries.ts';
import { EMBEDDED_ISSUER } from '../rules.ts';

/**
 * Returns the signed-in person's account here.
 * @throws unauthenticated; not_found for a person who signed in elsewhere
 */
export async function requireOwnAccount(context: RequestContext): Promise<AccountRow> {
  const { userId } = requirePerson(context);
  const { db } = context.app;
  const user = await findUser(db, userId);
  const account = user?.issuer === EMBEDDED_ISSUER ? await findAccountBySubject(db, user.subject) : null;
  if (!account) throw new AppError('not_found');
  return account;
}
