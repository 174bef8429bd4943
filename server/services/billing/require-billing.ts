import { type Executor, isPostgres, type Trx } from '#db/client.ts';
import type { App } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { type BillingReadiness, mayCreate, readinessOf } from './rules.ts';

/**
 * Returns whether an organization may create billed resources, why, and until when it may continue without a
 * card.
 */
export async function findReadiness(
  executor: Executor,
  app: App,
  organizationId: string,
): Promise<{ readiness: BillingReadiness; dueAt: number | null }> {
  if (!app.payments) return { readiness: 'off', dueAt: null };
  const { mode } = app.payments;
  const customer = await executor
    .selectFrom('billing_customers')
    .select(['provider_id', 'default_payment_method_id'])
    .where('organization_id', '=', organizationId)
    .where('mode', '=', mode)
    .executeTakeFirst();
  const notice = await executor
    .selectFrom('billing_notices')
    .select('due_at')
    .where('organization_id', '=', organizationId)
    .where('mode', '=', mode)
    .where('kind', '=', 'set_up')
    .executeTakeFirst();
  const dueAt = notice?.due_at ?? null;
  const readiness = readinessOf({
    hasCustomer: customer?.provider_id != null,
    hasDefault: customer?.default_payment_method_id != null,
    dueAt,
    now: app.clock.now(),
  });
  return { readiness, dueAt };
}

/**
 * Returns when the organization may create billed resources, in the transaction that creates them: a card
 * that is removed at the same moment is removed before or after.
 * @throws billing_required
 */
export async function requireBilling(trx: Trx, app: App, organizationId: string): Promise<void> {
  if (!app.payments) return;
  if (isPostgres(trx)) {
    await trx
      .selectFrom('billing_customers')
      .select('mode')
      .where('organization_id', '=', organizationId)
      .where('mode', '=', app.payments.mode)
      .forShare()
      .execute();
  }
  const { readiness } = await findReadiness(trx, app, organizationId);
  if (!mayCreate(readiness)) throw new AppError('billing_required');
}
