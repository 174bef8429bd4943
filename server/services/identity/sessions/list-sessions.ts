import { type RequestContext, requirePerson } from '#server/context.ts';
import { toInstant } from '../../shared/schema.ts';
import type { Session } from '../schema.ts';

/** Returns the signed-in person's active sessions: the current one first, then by last use. */
export async function listSessions(context: RequestContext): Promise<Session[]> {
  const person = requirePerson(context);
  const now = context.app.clock.now();
  const rows = await context.app.db
    .selectFrom('sessions')
    .select(['id', 'address', 'user_agent', 'created_at', 'last_used_at'])
    .where('user_id', '=', person.userId)
    .where('expires_at', '>', now)
    .where('absolute_expires_at', '>', now)
    .orderBy('last_used_at', 'desc')
    .limit(200)
    .execute();
  return rows
    .map((row) => ({
      ...row,
      created_at: toInstant(row.created_at),
      last_used_at: toInstant(row.last_used_at),
      is_current: row.id === person.sessionId,
    }))
    .sort((a, b) => Number(b.is_current) - Number(a.is_current));
}
