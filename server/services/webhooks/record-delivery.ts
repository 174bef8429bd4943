import { isPostgres, type Trx } from '#db/client.ts';
import type { RequestContext } from '#server/context.ts';
import { newId } from '#server/ids.ts';
import type { Attempt } from '#server/webhook-client/post-message.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { hostOf } from './create-webhook.ts';
import { giveUpWaiting } from './give-up-waiting.ts';
import type { MessageRow, WebhookRow } from './queries.ts';
import { queuePauseNotice } from './queue-pause-notice.ts';
import { ATTEMPTS_KEPT, isPausedBy, retryPauseMs } from './rules.ts';

/** The receiver no longer exists. */
const GONE = 410;

interface Delivery extends Attempt {
  at: number;
  durationMs: number;
  /** By a clock that has gone ahead, every failure has lasted for days. */
  isClockTrusted: boolean;
}

/**
 * Records the result of an attempt: the message is delivered, waits for the next attempt, or is abandoned. A
 * webhook that no longer exists is paused, and so is one that nothing has reached for three days, once a message
 * is abandoned. The people who manage the organization are emailed.
 * @param message as it was taken for this attempt
 */
export async function recordDelivery(
  context: RequestContext,
  seen: WebhookRow,
  message: MessageRow,
  delivery: Delivery,
): Promise<void> {
  const { app } = context;
  const { status, problem, waitMs, isClockTrusted } = delivery;
  await inUnitOfWork(context, async ({ trx, now, audit }) => {
    const webhook = await trx
      .selectFrom('webhooks')
      .selectAll()
      .where('id', '=', seen.id)
      .$if(isPostgres(trx), (query) => query.forUpdate())
      .executeTakeFirst();
    // Deleted meanwhile, with the message.
    if (!webhook) return;
    const failingSince = problem === null ? null : (webhook.failing_since ?? now);
    const isGone = status === GONE;
    const attempts = message.attempts + 1;
    const retry = retryPauseMs(attempts, Math.random());
    const isPaused =
      webhook.paused_at === null &&
      (isGone || (isClockTrusted && failingSince !== null && isPausedBy(retry === null, failingSince, now)));
    const pause = isPaused || webhook.paused_at !== null ? null : retry;
    const retryAt = problem === null || pause === null ? null : now + Math.max(pause, waitMs);
    await updateMessage(trx, message, {
      attempts,
      next_attempt_at: retryAt,
      delivered_at: problem === null ? now : null,
      failed_at: problem !== null && retryAt === null ? now : null,
    });
    await keepAttempt(trx, message, delivery, now);
    await trx
      .updateTable('webhooks')
      .set({
        failing_since: failingSince,
        ...(problem === null ? { last_delivered_at: now } : {}),
        ...(isPaused ? { paused_at: now, pause_reason: isGone ? 'gone' : 'failing' } : {}),
      })
      .where('id', '=', webhook.id)
      .execute();
    if (!isPaused) {
      if (waitMs > 0) await letDueWait(trx, webhook, now, waitMs);
      return;
    }
    await giveUpWaiting(trx, webhook, now);
    await audit({
      action: 'webhook.pause',
      resource_type: 'webhook',
      resource_id: webhook.id,
      organization_id: webhook.organization_id,
      after: { name: hostOf(webhook.url), reason: isGone ? 'gone' : 'failing' },
    });
    await queuePauseNotice(trx, app, webhook, isGone);
  });
}

/**
 * Only this attempt decides about the message, unless its redelivery was requested meanwhile, or another node has
 * taken it from one that was suspended. What a pause of the webhook has ended meanwhile may still have arrived.
 */
async function updateMessage(
  trx: Trx,
  { id, next_attempt_at, attempts }: MessageRow,
  values: Pick<MessageRow, 'attempts' | 'next_attempt_at' | 'delivered_at' | 'failed_at'>,
): Promise<void> {
  await trx
    .updateTable('webhook_messages')
    .set(values)
    .where('id', '=', id)
    .where(({ and, eb, or }) =>
      or([
        and([eb('next_attempt_at', '=', next_attempt_at), eb('attempts', '=', attempts)]),
        ...(values.delivered_at === null ? [] : [eb('next_attempt_at', 'is', null)]),
      ]),
    )
    .execute();
}

async function keepAttempt(
  trx: Trx,
  { id: message_id, organization_id }: MessageRow,
  { at, durationMs, status, problem, answer: response }: Delivery,
  now: number,
): Promise<void> {
  await trx
    .insertInto('webhook_attempts')
    .values({
      id: newId(now),
      organization_id,
      message_id,
      at,
      duration_ms: durationMs,
      status,
      problem,
      answer: response,
    })
    .execute();
  await trx
    .deleteFrom('webhook_attempts')
    .where('message_id', '=', message_id)
    .where('id', '<=', ({ selectFrom }) =>
      selectFrom('webhook_attempts as newer')
        .select('newer.id')
        .where('newer.message_id', '=', message_id)
        .orderBy('newer.id', 'desc')
        .limit(1)
        .offset(ATTEMPTS_KEPT),
    )
    .execute();
}

/** A receiver that asks to wait gets nothing that is due until then; what comes later asks it again. */
async function letDueWait(trx: Trx, { id }: WebhookRow, now: number, waitMs: number): Promise<void> {
  await trx
    .updateTable('webhook_messages')
    .set({ next_attempt_at: now + waitMs })
    .where('webhook_id', '=', id)
    .where('next_attempt_at', '<=', now)
    .execute();
}
