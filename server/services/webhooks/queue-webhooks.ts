import { sql } from 'kysely';
import type { Trx } from '#db/client.ts';
import type { App } from '#server/context.ts';
import { newId } from '#server/ids.ts';
import { findWebhooks, type WebhookRow } from './queries.ts';
import { type TEST_EVENT, WAITING_MAX, type WebhookEvent } from './rules.ts';
import { webhookSchema } from './schema.ts';

interface Actor {
  kind: string;
  name: string;
}

/**
 * The `data` of each event. Ids are those of the API; times are ISO 8601; amounts are cents of Canadian
 * dollars.
 */
export interface WebhookData {
  'deploy.published': {
    site_id: string;
    site_name: string;
    version_id: string;
    version_number: number;
    url: string;
    actor: Actor;
  };
  'deploy.rolled_back': WebhookData['deploy.published'] & { reverted: number };
  'certificate.issued': {
    hostname: string;
    endpoint_id: string | null;
    valid_until: string;
    is_renewal: boolean;
  };
  'certificate.failed': {
    hostname: string;
    endpoint_id: string | null;
    problem: string;
    detail: string | null;
    attempts: number;
    next_attempt_at: string | null;
  };
  'certificate.expiring': {
    hostname: string;
    endpoint_id: string | null;
    valid_until: string;
    is_expired: boolean;
  };
  'limit.reached': {
    scope: string;
    /** Null for the organization. */
    resource_id: string | null;
    share: number;
    spent_cents: number;
    limit_cents: number;
    is_stopped: boolean;
  };
  'invoice.issued': { invoice_id: string; number: string | null; amount_cents: number };
  'invoice.paid': WebhookData['invoice.issued'];
  'invoice.payment_failed': WebhookData['invoice.issued'] & {
    problem: string;
    next_attempt_at: string | null;
  };
  'invoice.refunded': WebhookData['invoice.issued'] & { status: string; reversed_cents: number };
  'invoice.disputed': WebhookData['invoice.refunded'];
  [TEST_EVENT]: { message: string };
}

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
export async function queueMessage<E extends keyof WebhookData>(
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
