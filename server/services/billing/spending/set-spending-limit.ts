import type { z } from 'zod';
import type { Trx } from '#db/client.ts';
import type { OrganizationContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { newId } from '#server/ids.ts';
import { requireLiveOrganization } from '../../organizations/require-live-organization.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { monthOf } from '../months/month-rules.ts';
import { requireBillingRight } from '../require-payments.ts';
import { asPlatform } from './as-platform.ts';
import { enforceLimitsOf } from './enforce-limits.ts';
import { keepPastLimit, measureSpending } from './find-limits.ts';
import type { LimitScope } from './limit-rules.ts';
import { describeLimits } from './list-spending-limits.ts';
import { type SpendingLimit, setSpendingLimitInput } from './schema.ts';

/**
 * Sets the most that may be spent in a month on the organization, a site or an endpoint, and returns all
 * limits. It takes effect immediately: what has been spent this month already stays billed, and what is
 * within its limit again is served.
 * @throws billing_off, person_required, permission_required, invalid_input, site_not_found,
 * endpoint_not_found
 */
export async function setSpendingLimit(
  context: OrganizationContext,
  input: z.input<typeof setSpendingLimitInput>,
): Promise<SpendingLimit[]> {
  const { account } = requireBillingRight(context, 'billing.manage');
  const { scope, resource_id: named, amount_cents, action } = setSpendingLimitInput.parse(input);
  const { app } = context;
  const resource_id = scope === 'organization' ? account.organizationId : (named ?? '');
  await inUnitOfWork(context, async ({ trx, now, audit }) => {
    const month = monthOf(now);
    await requireLiveOrganization(trx, account.organizationId);
    if (scope !== 'organization') await requireResource(trx, account.organizationId, scope, resource_id);
    const spentOf = await measureSpending(trx, app, account, month);
    const values = {
      amount_cents,
      action,
      set_year: month.year,
      set_month: month.month,
      spent_cents: spentOf({ scope, resource_id }),
      updated_at: now,
    };
    const before = await trx
      .selectFrom('spending_limits')
      .selectAll()
      .where('organization_id', '=', account.organizationId)
      .where('mode', '=', account.mode)
      .where('scope', '=', scope)
      .where('resource_id', '=', resource_id)
      .executeTakeFirst();
    if (before) await keepPastLimit(trx, before, month);
    await trx
      .insertInto('spending_limits')
      .values({
        id: newId(now),
        organization_id: account.organizationId,
        mode: account.mode,
        scope,
        resource_id,
        created_at: now,
        ...values,
      })
      .onConflict((conflict) =>
        conflict.columns(['organization_id', 'mode', 'scope', 'resource_id']).doUpdateSet(values),
      )
      .execute();
    await audit({
      action: 'spending_limit.set',
      resource_type: scope,
      resource_id,
      organization_id: account.organizationId,
      before: before ? { amount_cents: before.amount_cents, action: before.action } : null,
      after: { amount_cents, action },
    });
  });
  await enforceLimitsOf(asPlatform(context), account);
  return describeLimits(app.db, app, account);
}

/** @throws site_not_found, endpoint_not_found */
async function requireResource(
  trx: Trx,
  organizationId: string,
  scope: Exclude<LimitScope, 'organization'>,
  id: string,
): Promise<void> {
  const known = await trx
    .selectFrom('resource_lifetimes')
    .select('resource_id')
    .where('resource_id', '=', id)
    .where('resource_type', '=', scope)
    .where('organization_id', '=', organizationId)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  if (!known) throw new AppError(scope === 'site' ? 'site_not_found' : 'endpoint_not_found');
}
