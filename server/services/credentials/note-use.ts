import type { Executor } from '#db/client.ts';
import { MINUTE_MS } from '#server/durations.ts';
import type { CredentialRow } from './queries.ts';

/** The precision of `last_used_at`: a deploy of thousands of requests writes it once a minute. */
const STEP_MS = MINUTE_MS;

/** Records that a credential is used now, unless a use within the last minute, or a later one, is recorded. */
export async function noteUse(
  executor: Executor,
  { id, last_used_at }: Pick<CredentialRow, 'id' | 'last_used_at'>,
  now: number,
): Promise<void> {
  if (last_used_at !== null && now - last_used_at < STEP_MS) return;
  await executor
    .updateTable('credentials')
    .set({ last_used_at: now })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', now)]))
    .execute();
}
