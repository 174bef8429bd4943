import { type RequestContext, requirePerson } from '#server/context.ts';
import type { OperatorAccess } from '../operator/rules.ts';

/**
 * Returns the context of a signed-in operator as an operator's, with the person's name for the audit log; any
 * other context is returned as it is, to be refused by the verb.
 */
export async function actAsOperator(context: RequestContext): Promise<RequestContext> {
  const { actor } = context;
  if (actor.kind !== 'person') return context;
  const access = await findAccess(context, actor.userId);
  if (access === null) return context;
  const operator = {
    kind: 'operator',
    tokenId: null,
    userId: actor.userId,
    name: actor.login,
    access,
  } as const;
  return { ...context, actor: operator };
}

/**
 * Returns the signed-in person's operator access; null for everyone else.
 * @throws unauthenticated, person_required
 */
export async function getOperatorAccess(context: RequestContext): Promise<{ access: OperatorAccess | null }> {
  return { access: await findAccess(context, requirePerson(context).userId) };
}

/** Read for every call, so that revoking it takes effect with the next one. */
async function findAccess({ app }: RequestContext, userId: string): Promise<OperatorAccess | null> {
  const row = await app.db
    .selectFrom('users')
    .select('operator_access')
    .where('id', '=', userId)
    .executeTakeFirst();
  return row?.operator_access ?? null;
}
