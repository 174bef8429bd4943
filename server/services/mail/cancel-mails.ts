import type { Trx } from '#db/client.ts';
import type { App } from '#server/context.ts';

/**
 * Cancels the messages about things that are removed, in the same transaction; one that a node is just
 * sending is still sent, but not retried.
 */
export async function cancelMails(
  trx: Trx,
  app: App,
  { resource_type, resource_ids }: { resource_type: string; resource_ids: readonly string[] },
): Promise<void> {
  if (resource_ids.length === 0) return;
  await trx
    .updateTable('outgoing_mails')
    .set((eb) => ({
      // A node that holds it finds another attempt number than its own and leaves it.
      attempts: eb('attempts', '+', 1),
      message_sealed: '',
      next_attempt_at: null,
      failed_at: app.clock.now(),
      last_error: 'no longer needed',
    }))
    .where('resource_type', '=', resource_type)
    .where('resource_id', 'in', resource_ids)
    .where('sent_at', 'is', null)
    .where('failed_at', 'is', null)
    .execute();
}
