import { sql } from 'kysely';
import type { Trx } from '#db/client.ts';
import type { App } from '#server/context.ts';
import { newId } from '#server/ids.ts';
import type { AnyEvent, WebhookData } from './event-schemas.ts';
import { findWebhooks, type WebhookRow } from './queries.ts';
import { WAITING_MAX, type WebhookEvent } from './rules.ts';
import { webhookSchema } from './schema.ts';

/**
 * Writes an event for every webhook of the organization that listens to it, in the transaction of the change
 * it is about; a job delivers it after the commit.
 */
export async function queueWebhooks<E extends WebhookEvent>(
  trx: Trx,
  app: App,
  organizationId: string,
  event: E,
  data: WebhookData[E],
): Promise<void> {
  for (const webhook of await findListeners(trx, organizationId, event)) {
    await queueMessage(trx, app, webhook, event, data);
  }
}

/** Whether any webhook would receive such an event. */
export async function isListenedTo(trx: Trx, organizationId: string, event: WebhookEvent): Promise<boolean> {
  return (await findListeners(trx, organizationId, event)).length > 0;
}

async function findListeners(trx: Trx, organizationId: string, event: WebhookEvent): Promise<WebhookRow[]> {
  const webhooks = await findWebhooks(trx, organizationId);
  return webhooks.filter(
    ({ paused_at, events }) =>
      paused_at === null && webhookSchema.shape.events.parse(JSON.parse(events)).includes(event),
  );
}

/** Writes one message to one webhook and returns its id; null when too many are waiting. */
export async function queueMessage<E extends AnyEvent>(
  trx: Trx,
  app: App,
  webhook: WebhookRow,
  event: E,
  data: WebhookData[E],
): Promise<string | null> {
  const waiting = await trx
    .selectFrom('webhook_messages')
    .select('id')
    .where('webhook_id', '=', webhook.id)
    .where('next_attempt_at', 'is not', null)
    .limit(WAITING_MAX)
    .execute();
  if (waiting.length >= WAITING_MAX) {
    await trx
      .updateTable('webhooks')
      .set({ not_kept: sql`not_kept + 1` })
      .where('id', '=', webhook.id)
      .execute();
    return null;
  }
  const now = app.clock.now();
  const id = newId(now);
  const { organization_id } = webhook;
  await trx
    .insertInto('webhook_messages')
    .values({
      id,
      organization_id,
      webhook_id: webhook.id,
      event,
      body: JSON.stringify({
        type: event,
        timestamp: new Date(now).toISOString(),
        data: { organization_id, ...data },
      }),
      created_at: now,
      attempts: 0,
      next_attempt_at: now,
      delivered_at: null,
      failed_at: null,
    })
    .execute();
  return id;
}
