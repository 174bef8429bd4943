import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import type { App, RequestContext } from '#server/context.ts';
import { postMessage } from '#server/webhook-client/post-message.ts';
import { mapConcurrently } from '#server/work/map-concurrently.ts';
import type { MessageRow, WebhookRow } from './queries.ts';
import { recordDelivery } from './record-delivery.ts';
import { signDelivery } from './sign-delivery.ts';

/** How many organizations' messages are delivered concurrently, and how many messages of one of them. */
const ORGANIZATIONS_AT_ONCE = 32;
const MESSAGES_AT_ONCE = 4;
/** Then others have their turn. */
const MESSAGES_A_TURN = 8;
const LOOK_EVERY_MS = 500;
/** While a node has a message no other one takes it; after a crash another one may. */
const CLAIM_MS = 60_000;

/**
 * Delivers the messages that are due, and those that become due meanwhile; returns how many attempts were
 * made. Organizations take turns: one with slow receivers does not delay others. A node that dies between an
 * answer and its own record of it leaves a message that is sent once more, under the same id.
 */
export async function deliverWebhooks(
  context: RequestContext,
  stopping?: AbortSignal,
): Promise<{ attempts: number }> {
  const { app } = context;
  const post = app.outgoing.outsideTransactions('webhooks', { postMessage }).postMessage;
  const turns = new Map<string, Promise<void>>();
  let attempts = 0;
  const takeTurn = async (organizationId: string) => {
    try {
      const due = await listDue(app, organizationId);
      await mapConcurrently(due, MESSAGES_AT_ONCE, async (message) => {
        if (stopping?.aborted || !(await claim(app, message))) return;
        await deliver(context, post, message, stopping);
        attempts += 1;
      });
    } catch (error) {
      app.logger.warn({ err: error, organization: organizationId }, 'webhooks could not be delivered');
      // What failed is still due: the others come first.
      await wait(LOOK_EVERY_MS);
    } finally {
      turns.delete(organizationId);
    }
  };
  while (!stopping?.aborted) {
    for (const id of await listDueOrganizations(app, turns)) turns.set(id, takeTurn(id));
    if (turns.size === 0) break;
    await Promise.race([...turns.values(), wait(LOOK_EVERY_MS)]);
  }
  await Promise.all(turns.values());
  return { attempts };
}

/**
 * Chance decides who comes first: of many organizations that somebody fills with messages to slow receivers,
 * some would always have waited longest.
 */
async function listDueOrganizations(app: App, busy: ReadonlyMap<string, unknown>): Promise<string[]> {
  const room = ORGANIZATIONS_AT_ONCE - busy.size;
  if (room <= 0) return [];
  let query = app.db
    .selectFrom('webhook_messages')
    .select('organization_id')
    .where('next_attempt_at', '<=', app.clock.now());
  if (busy.size > 0) query = query.where('organization_id', 'not in', [...busy.keys()]);
  const rows = await query.groupBy('organization_id').orderBy(sql`random()`).limit(room).execute();
  return rows.map(({ organization_id }) => organization_id);
}

type Due = MessageRow & { webhook: WebhookRow };

async function listDue(app: App, organizationId: string): Promise<Due[]> {
  const messages = await app.db
    .selectFrom('webhook_messages')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('next_attempt_at', '<=', app.clock.now())
    .orderBy('next_attempt_at')
    .orderBy('id')
    .limit(MESSAGES_A_TURN)
    .execute();
  if (messages.length === 0) return [];
  const webhooks = await app.db
    .selectFrom('webhooks')
    .selectAll()
    .where(
      'id',
      'in',
      messages.map(({ webhook_id }) => webhook_id),
    )
    .execute();
  const byId = new Map(webhooks.map((webhook) => [webhook.id, webhook]));
  return messages.flatMap((message) => {
    const webhook = byId.get(message.webhook_id);
    return webhook ? [{ ...message, webhook }] : [];
  });
}

/** Takes a due message for this node; false when another one was faster. */
async function claim(app: App, { id, next_attempt_at, attempts }: MessageRow): Promise<boolean> {
  const { numUpdatedRows } = await app.db
    .updateTable('webhook_messages')
    .set({ next_attempt_at: app.clock.now() + CLAIM_MS })
    .where('id', '=', id)
    .where('next_attempt_at', '=', next_attempt_at)
    .where('attempts', '=', attempts)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

async function deliver(
  context: RequestContext,
  post: typeof postMessage,
  { webhook, ...message }: Due,
  stopping: AbortSignal | undefined,
): Promise<void> {
  const { app } = context;
  const at = app.clock.now();
  const began = performance.now();
  const secrets = [webhook.secret_sealed];
  if (webhook.former_secret_sealed !== null && (webhook.former_until ?? 0) > at) {
    secrets.push(webhook.former_secret_sealed);
  }
  const signed = signDelivery(
    secrets.map((sealed) => app.sealer.open(sealed, webhook.id)),
    { id: message.id, at, body: message.body },
  );
  const headers = { ...signed, 'user-agent': app.config.productName };
  const attempt = await post(app, webhook.url, { headers, body: message.body }, stopping);
  // Interrupted by our own shutdown: it is due again after the next start.
  const isBrokenOff = stopping?.aborted === true && attempt.status === null;
  if (isBrokenOff) await release(app, message);
  else
    await recordDelivery(context, webhook, message, {
      ...attempt,
      at,
      durationMs: Math.round(performance.now() - began),
    });
}

async function release(app: App, { id, next_attempt_at }: MessageRow): Promise<void> {
  await app.db.updateTable('webhook_messages').set({ next_attempt_at }).where('id', '=', id).execute();
}
