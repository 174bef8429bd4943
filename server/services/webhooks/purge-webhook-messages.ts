import type { App, RequestContext } from '#server/context.ts';
import { removeInSlices } from '../shared/remove-in-slices.ts';
import { MESSAGES_KEPT, MESSAGES_KEPT_MS } from './rules.ts';

/**
 * Removes messages after 30 days, and of each webhook those that are neither waiting nor among the newest, with their
 * attempts. Returns how many.
 */
export async function purgeWebhookMessages(
  { app }: RequestContext,
  stopping?: AbortSignal,
  kept = MESSAGES_KEPT,
): Promise<{ purged: number }> {
  const before = app.clock.now() - MESSAGES_KEPT_MS;
  const remove = (limit: number) =>
    app.db
      .deleteFrom('webhook_messages')
      .where('id', 'in', (eb) =>
        eb.selectFrom('webhook_messages').select('id').where('created_at', '<=', before).limit(limit),
      )
      .executeTakeFirstOrThrow();
  let purged = await removeInSlices(remove, stopping);
  const webhooks = await app.db.selectFrom('webhooks').select('id').execute();
  for (const { id } of webhooks) {
    if (stopping?.aborted) break;
    purged += await purgeBeyond(app, { webhookId: id, kept, stopping });
  }
  return { purged };
}

async function purgeBeyond(
  app: App,
  { webhookId, kept, stopping }: { webhookId: string; kept: number; stopping: AbortSignal | undefined },
): Promise<number> {
  const messages = app.db.selectFrom('webhook_messages').select('id').where('webhook_id', '=', webhookId);
  const last = await messages.orderBy('id', 'desc').limit(1).offset(kept).executeTakeFirst();
  if (!last) return 0;
  const remove = (limit: number) =>
    app.db
      .deleteFrom('webhook_messages')
      .where(
        'id',
        'in',
        messages.where('id', '<=', last.id).where('next_attempt_at', 'is', null).orderBy('id').limit(limit),
      )
      .executeTakeFirstOrThrow();
  return removeInSlices(remove, stopping);
}
