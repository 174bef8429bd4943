import type { Executor } from '#db/client.ts';
import type { App, OrganizationContext } from '#server/context.ts';
import { monthOf } from '../months/month-rules.ts';
import type { Account } from '../queries.ts';
import { requireBillingRight } from '../require-payments.ts';
import { findLimits, measureSpending } from './find-limits.ts';
import { capOf, wireIdOf } from './limit-rules.ts';
import type { SpendingLimit } from './schema.ts';

/**
 * Returns the spending limits of the organization with what has been spent under each this month.
 * @throws billing_off, person_required
 */
export async function listSpendingLimits(context: OrganizationContext): Promise<SpendingLimit[]> {
  const { account } = requireBillingRight(context, 'billing.read');
  return describeLimits(context.app.db, context.app, account);
}

/** Returns the limits in their wire format. */
export async function describeLimits(
  executor: Executor,
  app: App,
  account: Account,
): Promise<SpendingLimit[]> {
  const limits = await findLimits(executor, account);
  if (limits.length === 0) return [];
  const month = monthOf(app.clock.now());
  const spentOf = await measureSpending(executor, app, account, month);
  const stops = await executor
    .selectFrom('spending_stops')
    .select('resource_id')
    .where('organization_id', '=', account.organizationId)
    .where('mode', '=', account.mode)
    .execute();
  const names = await executor
    .selectFrom('resource_lifetimes')
    .select(['resource_id', 'name'])
    .where('organization_id', '=', account.organizationId)
    .where(
      'resource_id',
      'in',
      limits.map(({ resource_id }) => resource_id),
    )
    .execute();
  return limits.map((limit) => ({
    id: limit.id,
    scope: limit.scope,
    resource_id: wireIdOf(limit),
    name: names.find(({ resource_id }) => resource_id === limit.resource_id)?.name ?? null,
    amount_cents: limit.amount_cents,
    action: limit.action,
    spent_cents: spentOf(limit),
    cap_cents: capOf(limit, month),
    is_stopped: stops.some(({ resource_id }) => resource_id === limit.resource_id),
  }));
}
