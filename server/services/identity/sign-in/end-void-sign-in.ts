import type { RequestContext } from '#server/context.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { endSessions } from '../sessions/end-sessions-of-identity.ts';
import { forgetSignInGrant, hasSignInGrant } from './sign-in-grants.ts';

/**
 * Ends every session of a person whose grant the issuer declared void, so that the person signs in again, and
 * returns how many. Ends none when a newer grant has arrived meanwhile. `mark` is the void grant's, or null
 * for a person without one.
 */
export async function endVoidSignIn(
  context: RequestContext,
  { userId, mark }: { userId: string; mark: string | null },
): Promise<number> {
  return inUnitOfWork(context, async (unit) => {
    const { trx } = unit;
    const isCurrent =
      mark === null ? !(await hasSignInGrant(trx, userId)) : await forgetSignInGrant(trx, userId, mark);
    if (!isCurrent) return 0;
    const sessions = await trx
      .selectFrom('sessions')
      .select(['id', 'user_id'])
      .where('user_id', '=', userId)
      .execute();
    await endSessions(unit, sessions);
    return sessions.length;
  });
}
