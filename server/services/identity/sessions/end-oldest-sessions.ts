import type { Executor } from '#db/client.ts';

/** Ends the least recently used sessions of a person, so that no more than `sessionsMax` are left. */
export async function endOldestSessions(
  executor: Executor,
  userId: string,
  sessionsMax: number,
): Promise<void> {
  const kept = executor
    .selectFrom('sessions')
    .select('id')
    .where('user_id', '=', userId)
    .orderBy('last_used_at', 'desc')
    .orderBy('created_at', 'desc')
    .limit(sessionsMax);
  await executor.deleteFrom('sessions').where('user_id', '=', userId).where('id', 'not in', kept).execute();
}
