import type { Trx } from '#db/client.ts';
import { newId } from '#server/ids.ts';
import type { WebhookRow } from './queries.ts';

/** Ends every waiting message of a webhook that is now paused. Each can be redelivered on request. */
export async function giveUpWaiting(
  trx: Trx,
  { id, organization_id }: Pick<WebhookRow, 'id' | 'organization_id'>,
  now: number,
): Promise<void> {
  const ended = await trx
    .updateTable('webhook_messages')
    .set({ next_attempt_at: null, failed_at: now })
    .where('webhook_id', '=', id)
    .where('next_attempt_at', 'is not', null)
    .returning('id')
    .execute();
  if (ended.length === 0) return;
  await trx
    .insertInto('webhook_attempts')
    .values(
      ended.map(({ id: message_id }) => ({
        id: newId(now),
        organization_id,
        message_id,
        at: now,
        duration_ms: 0,
        status: null,
        problem: 'paused',
        answer: null,
      })),
    )
    .execute();
}
