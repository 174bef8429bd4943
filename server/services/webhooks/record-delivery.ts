import { isPostgres } from '#db/client.ts';
import type { RequestContext } from '#server/context.ts';
import { newId } from '#server/ids.ts';
import type { Attempt } from '#server/webhook-client/post-message.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { hostOf } from './create-webhook.ts';
import { giveUpWaiting } from './give-up-waiting.ts';
import type { MessageRow, WebhookRow } from './queries.ts';
import { queuePauseNotice } from './queue-pause-notice.ts';
import { PAUSED_AFTER_MS, retryPauseMs } from './rules.ts';

/** The receiver no longer exists. */
const GONE = 410;

/**
 * Records the result of an attempt: the message is delivered, waits for the next attempt, or is abandoned. A
 * webhook that no longer exists, or that nothing has reached for three days, is paused, and the people who
 * manage the organization are emailed.
 */
export async function recordDelivery(
  context: RequestContext,
  seen: WebhookRow,
  message: MessageRow,
  { at, durationMs, status, problem, answer: response }: Attempt & { at: number; durationMs: number },
): Promise<void> {
  const { app } = context;
  await inUnitOfWork(context, async ({ trx, now, audit }) => {
    const webhook = await trx
      .selectFrom('webhooks')
      .selectAll()
      .where('id', '=', seen.id)
      .$if(isPostgres(trx), (query) => query.forUpdate())
      .executeTakeFirst();
    // Deleted meanwhile, with the message.
    if (!webhook) return;
    const attempts = message.attempts + 1;
    const pause = problem === null ? null : retryPauseMs(attempts);
    await trx
      .updateTable('webhook_messages')
      .set({
        attempts,
        next_attempt_at: pause === null || webhook.paused_at !== null ? null : now + pause,
        delivered_at: problem === null ? now : null,
        failed_at: problem !== null && (pause === null || webhook.paused_at !== null) ? now : null,
      })
      .where('id', '=', message.id)
      .execute();
    await trx
      .insertInto('webhook_attempts')
      .values({
        id: newId(now),
        organization_id: webhook.organization_id,
        message_id: message.id,
        at,
        duration_ms: durationMs,
        status,
        problem,
        answer: response,
      })
      .execute();
    const failingSince = problem === null ? null : (webhook.failing_since ?? now);
    const isGone = status === GONE;
    const isPaused =
      webhook.paused_at === null &&
      (isGone || (failingSince !== null && now - failingSince >= PAUSED_AFTER_MS));
    await trx
      .updateTable('webhooks')
      .set({
        failing_since: failingSince,
        ...(problem === null ? { last_delivered_at: now } : {}),
        ...(isPaused ? { paused_at: now, pause_reason: isGone ? 'gone' : 'failing' } : {}),
      })
      .where('id', '=', webhook.id)
      .execute();
    if (!isPaused) return;
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
