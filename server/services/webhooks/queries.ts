import type { Selectable } from 'kysely';
import { type Executor, isPostgres, type Trx } from '#db/client.ts';
import type { WebhookAttemptsTable, WebhookMessagesTable, WebhooksTable } from '#db/schema/webhooks.ts';
import type { OrganizationContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { isAllowed } from '../organizations/rules.ts';
import { toInstant } from '../shared/schema.ts';
import { type Webhook, type WebhookMessage, webhookMessageSchema, webhookSchema } from './schema.ts';

export type WebhookRow = Selectable<WebhooksTable>;
export type MessageRow = Selectable<WebhookMessagesTable>;
type AttemptRow = Selectable<WebhookAttemptsTable>;

/** Returns the webhooks of an organization, oldest first. */
export function findWebhooks(executor: Executor, organizationId: string): Promise<WebhookRow[]> {
  return executor
    .selectFrom('webhooks')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** @throws webhook_not_found */
export async function requireWebhook(
  executor: Executor,
  { organization }: OrganizationContext,
  id: string,
): Promise<WebhookRow> {
  const row = await executor
    .selectFrom('webhooks')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', '=', organization.id)
    .executeTakeFirst();
  if (!row) throw new AppError('webhook_not_found');
  return row;
}

/**
 * Returns a webhook, and makes every other change of it wait until the transaction ends.
 * @throws webhook_not_found
 */
export async function lockWebhook(trx: Trx, context: OrganizationContext, id: string): Promise<WebhookRow> {
  await trx
    .selectFrom('webhooks')
    .select('id')
    .where('id', '=', id)
    .where('organization_id', '=', context.organization.id)
    .$if(isPostgres(trx), (query) => query.forUpdate())
    .execute();
  return requireWebhook(trx, context, id);
}

/** Returns the row for clients: people who may not manage webhooks see only the host of an address. */
export function toWebhook({ app, organization }: OrganizationContext, row: WebhookRow): Webhook {
  const now = app.clock.now();
  return {
    id: row.id,
    url: isAllowed(organization.permission, 'webhook.manage') ? row.url : new URL(row.url).origin,
    description: row.description,
    events: webhookSchema.shape.events.parse(JSON.parse(row.events)),
    status: row.paused_at === null ? 'active' : 'paused',
    pause_reason: row.pause_reason,
    failing_since: toInstant(row.failing_since),
    last_delivered_at: toInstant(row.last_delivered_at),
    not_kept: row.not_kept,
    former_secret_until:
      row.former_until !== null && row.former_until > now ? toInstant(row.former_until) : null,
    created_at: toInstant(row.created_at),
  };
}

/** Returns the attempts at messages, newest first, by message. */
export async function findAttempts(
  executor: Executor,
  messageIds: string[],
): Promise<ReadonlyMap<string, AttemptRow[]>> {
  const found = new Map<string, AttemptRow[]>();
  if (messageIds.length === 0) return found;
  const rows = await executor
    .selectFrom('webhook_attempts')
    .selectAll()
    .where('message_id', 'in', messageIds)
    .orderBy('id', 'desc')
    .execute();
  for (const row of rows) {
    const attempts = found.get(row.message_id);
    if (attempts) attempts.push(row);
    else found.set(row.message_id, [row]);
  }
  return found;
}

/** Returns the row as it goes over the wire. */
export function toMessage(row: MessageRow, attempts: readonly AttemptRow[]): WebhookMessage {
  return webhookMessageSchema.parse({
    id: row.id,
    event: row.event,
    status: row.delivered_at !== null ? 'delivered' : row.next_attempt_at === null ? 'failed' : 'waiting',
    created_at: toInstant(row.created_at),
    next_attempt_at: toInstant(row.next_attempt_at),
    body: row.body,
    attempts: attempts.map(({ at, duration_ms, status, problem, answer: response }) => ({
      at: toInstant(at),
      duration_ms,
      status,
      problem,
      answer: response,
    })),
  });
}
