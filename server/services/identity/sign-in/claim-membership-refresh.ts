import type { Executor } from '#db/client.ts';
import { RETRY_MS, STALE_MS } from './membership-rules.ts';

/**
 * Returns whether the caller may now ask the issuer for a person's memberships: one of several nodes may.
 * After a failure, the next attempt is allowed a minute later.
 */
export async function claimMembershipRefresh(
  executor: Executor,
  userId: string,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await executor
    .updateTable('users')
    .set({ memberships_attempted_at: now })
    .where('id', '=', userId)
    .where((eb) =>
      eb.or([eb('memberships_synced_at', 'is', null), eb('memberships_synced_at', '<=', now - STALE_MS)]),
    )
    .where((eb) =>
      eb.or([
        eb('memberships_attempted_at', 'is', null),
        eb('memberships_attempted_at', '<=', now - RETRY_MS),
      ]),
    )
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
