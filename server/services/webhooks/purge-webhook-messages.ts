import type { RequestContext } from '#server/context.ts';
import { removeInSlices } from '../shared/remove-in-slices.ts';
import { MESSAGES_KEPT_MS } from './rules.ts';

/** Removes messages after 30 days, with their attempts, and returns how many. */
export async function purgeWebhookMessages(
  { app }: RequestContext,
  stopping?: AbortSignal,
): Promise<{ purged: number }> {
  const before = app.clock.now() - MESSAGES_KEPT_MS;
  const remove = (limit: number) =>
    app.db
      .deleteFrom('webhook_messages')
      .where('id', 'in', (eb) =>
        eb.selectFrom('webhook_messages').select('id').where('created_at', '<=', before).limit(limit),
      )
      .executeTakeFirstOrThrow();
  return { purged: await removeInSlices(remove, stopping) };
}
