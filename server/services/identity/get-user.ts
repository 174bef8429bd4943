import { type RequestContext, requirePerson } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { findUser, toUser } from './queries.ts';
import type { User } from './schema.ts';

/** Returns the signed-in person. @throws unauthenticated */
export async function getUser(context: RequestContext): Promise<User> {
  const person = requirePerson(context);
  const row = await findUser(context.app.db, person.userId);
  if (!row) throw new AppError('unauthenticated');
  return toUser(row);
}
