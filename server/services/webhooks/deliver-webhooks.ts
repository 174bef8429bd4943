import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { mapConcurrently } from '#server/concurrency/map-concurrently.ts';
import type { App, RequestContext } from '#server/context.ts';
import { postMessage } from '#server/webhook-client/post-message.ts';
import type { MessageRow, WebhookRow } from './queries.ts';
import { recordDelivery } from './record-delivery.ts';
import { signDelivery } from './sign-delivery.ts';

/** How many organizations' messages are delivered concurrently, to how many webhooks of one, and how many to one of them. */
const ORGANIZATIONS_AT_ONCE = 32;
const WEBHOOKS_AT_ONCE = 4;
const MESSAGES_AT_ONCE = 2;
/** Then others have their turn. */
const MESSAGES_A_TURN = 4;
const LOOK_EVERY_MS = 500;
/** While a node has a message no other one takes it; after a crash another one may. */
const CLAIM_MS = 60_000;

/**
 * Delivers the messages that are due, and those that become due meanwhile; returns how many attempts were
 * made. Organizations take turns, and so do the webhooks of one: a slow receiver does not delay others. A node
 * that ends between a response and its own record of it leaves a message that is sent once more, under the
 * same id.
 */
export async function deliverWebhooks(
  context: RequestContext,
  stopping?: AbortSignal,
  mayTrustClock: () => Promise<boolean> = async () => true,
): Promise<{ attempts: number }> {
  const { app } = context;
  const post = app.outgoing.outsideTransactions('webhooks', { postMessage }).postMessage;
  const turns = new Map<string, Turn>();
  let attempts = 0;
  const takeTurn = async ({ webhookId }: DueWebhook) => {
    try {
      const due = await listDue(app, webhookId);
      await mapConcurrently(due, MESSAGES_AT_ONCE, async (message) => {
        if (stopping?.aborted) return;
        const claimed = await claim(app, message);
        if (!claimed) return;
        await deliver(context, { post, mayTrustClock }, claimed, stopping);
        attempts += 1;
      });
    } catch (error) {
      app.logger.warn({ err: error, webhook: webhookId }, 'webhooks could not be delivered');
      // What failed is still due: the others come first.
      await wait(LOOK_EVERY_MS);
    } finally {
      turns.delete(webhookId);
    }
  };
  while (!stopping?.aborted) {
    for (const due of await listDueWebhooks(app, turns)) {
      turns.set(due.webhookId, { organizationId: due.organizationId, ended: takeTurn(due) });
    }
    if (turns.size === 0) break;
    await Promise.race([...[...turns.values()].map(({ ended }) => ended), wait(LOOK_EVERY_MS)]);
  }
  await Promise.all([...turns.values()].map(({ ended }) => ended));
  return { attempts };
}

interface DueWebhook {
  organizationId: string;
  webhookId: string;
}
interface Turn {
  organizationId: string;
  ended: Promise<void>;
}

/**
 * Returns the webhooks whose turn begins. Chance decides who comes first: of many organizations that somebody
 * fills with messages to slow receivers, some would always have waited longest.
 */
async function listDueWebhooks(app: App, turns: ReadonlyMap<string, Turn>): Promise<DueWebhook[]> {
  const busy = new Map<string, number>();
  for (const { organizationId } of turns.values()) {
    busy.set(organizationId, (busy.get(organizationId) ?? 0) + 1);
  }
  let waiting = app.db
    .selectFrom('webhook_messages')
    .select('organization_id')
    .where('next_attempt_at', '<=', app.clock.now());
  if (turns.size > 0) waiting = waiting.where('webhook_id', 'not in', [...turns.keys()]);
  const full = [...busy].filter(([, count]) => count >= WEBHOOKS_AT_ONCE).map(([id]) => id);
  if (full.length > 0) waiting = waiting.where('organization_id', 'not in', full);
  if (busy.size >= ORGANIZATIONS_AT_ONCE) waiting = waiting.where('organization_id', 'in', [...busy.keys()]);
  const organizations = await waiting
    .groupBy('organization_id')
    .orderBy(sql`random()`)
    .limit(ORGANIZATIONS_AT_ONCE)
    .execute();
  if (organizations.length === 0) return [];
  const webhooks = await waiting
    .select('webhook_id')
    .where(
      'organization_id',
      'in',
      organizations.map(({ organization_id }) => organization_id),
    )
    .groupBy(['organization_id', 'webhook_id'])
    .orderBy(sql`random()`)
    .execute();
  const due = Map.groupBy(webhooks, ({ organization_id }) => organization_id);
  return organizations.flatMap(({ organization_id }) => {
    if (!busy.has(organization_id)) {
      if (busy.size >= ORGANIZATIONS_AT_ONCE) return [];
      busy.set(organization_id, 0);
    }
    const room = WEBHOOKS_AT_ONCE - (busy.get(organization_id) ?? 0);
    const begin = (due.get(organization_id) ?? []).slice(0, room);
    return begin.map(({ webhook_id }) => ({ organizationId: organization_id, webhookId: webhook_id }));
  });
}

function listDue(app: App, webhookId: string): Promise<MessageRow[]> {
  return app.db
    .selectFrom('webhook_messages')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .where('next_attempt_at', '<=', app.clock.now())
    .orderBy('next_attempt_at')
    .orderBy('id')
    .limit(MESSAGES_A_TURN)
    .execute();
}

interface Claimed {
  message: MessageRow;
  webhook: WebhookRow;
  /** When it was due, to return it. */
  dueAt: number | null;
}

/**
 * Takes a due message for this node, with its webhook as it is now: its address or secret may have changed since
 * the turn began. Null when another node was faster, or the message was ended or removed.
 */
async function claim(app: App, seen: MessageRow): Promise<Claimed | null> {
  const message = await app.db
    .updateTable('webhook_messages')
    .set({ next_attempt_at: app.clock.now() + CLAIM_MS })
    .where('id', '=', seen.id)
    .where('next_attempt_at', '=', seen.next_attempt_at)
    .where('attempts', '=', seen.attempts)
    .returningAll()
    .executeTakeFirst();
  if (!message) return null;
  const webhook = await app.db
    .selectFrom('webhooks')
    .selectAll()
    .where('id', '=', message.webhook_id)
    .executeTakeFirst();
  return webhook ? { message, webhook, dueAt: seen.next_attempt_at } : null;
}

async function deliver(
  context: RequestContext,
  { post, mayTrustClock }: { post: typeof postMessage; mayTrustClock: () => Promise<boolean> },
  { message, webhook, dueAt }: Claimed,
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
  if (isBrokenOff) await release(app, message, dueAt);
  else
    await recordDelivery(context, webhook, message, {
      ...attempt,
      at,
      durationMs: Math.round(performance.now() - began),
      isClockTrusted: attempt.problem === null || (await mayTrustClock()),
    });
}

async function release(app: App, { id, next_attempt_at }: MessageRow, dueAt: number | null): Promise<void> {
  await app.db
    .updateTable('webhook_messages')
    .set({ next_attempt_at: dueAt })
    .where('id', '=', id)
    .where('next_attempt_at', '=', next_attempt_at)
    .execute();
}
