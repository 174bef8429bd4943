import type { Executor } from '#db/client.ts';
import { inTransaction } from '#db/transaction.ts';
import type { App } from '#server/context.ts';
import { toInstant } from '../../shared/schema.ts';
import { queueWebhooks } from '../../webhooks/queue-webhooks.ts';
import type { IssueFailure } from './issue-failure.ts';
import { nextAttemptAt } from './issue-rules.ts';
import type { OrderRow } from './order-certificate.ts';
import type { IssuableBundle } from './select-issuable.ts';

/**
 * Stores why an attempt failed and when the next one begins automatically. The order stays where it can
 * continue. Returns whether the bundle still existed.
 */
export async function recordIssueFailure(
  app: App,
  bundle: IssuableBundle,
  failure: IssueFailure,
): Promise<boolean> {
  const now = app.clock.now();
  const attempts = bundle.attempts + 1;
  const validUntil = bundle.valid_until;
  const next_issue_at = nextAttemptAt(failure, { attempts, validUntil }, now, Math.random());
  const isKept = await inTransaction(app.db, async (trx) => {
    const result = await trx
      .updateTable('certificate_bundles')
      .set({
        attempts,
        next_issue_at,
        failure_code: failure.problem,
        failure_detail: failure.detail,
        failed_at: now,
        updated_at: now,
      })
      .where('id', '=', bundle.id)
      .executeTakeFirst();
    await trx
      .deleteFrom('certificate_orders')
      .where('bundle_id', '=', bundle.id)
      .$if(!failure.endsOrder, (query) => query.where('order_url', '=', ''))
      .execute();
    const isThere = result.numUpdatedRows > 0n;
    if (isThere && bundle.organization_id !== null) {
      await queueWebhooks(trx, app, bundle.organization_id, 'certificate.failed', {
        hostname: bundle.domain_name,
        endpoint_id: bundle.endpoint_id,
        problem: failure.problem,
        detail: failure.detail,
        attempts,
        next_attempt_at: toInstant(next_issue_at),
      });
    }
    return isThere;
  });
  const facts = { bundle: bundle.id, domain: bundle.domain_name, problem: failure.problem };
  app.logger.warn(
    { ...facts, detail: failure.detail, attempts, next_issue_at },
    'a certificate was not issued',
  );
  return isKept;
}

/** Deletes an order, so that another one can be opened. */
export async function endOrder(executor: Executor, order: OrderRow): Promise<void> {
  await executor
    .deleteFrom('certificate_orders')
    .where('bundle_id', '=', order.bundle_id)
    .where('order_url', '=', order.order_url)
    .execute();
}
