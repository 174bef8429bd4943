import type { z } from 'zod';
import { isPostgres } from '#db/client.ts';
import type { OrganizationContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { monthOf } from '../months/month-rules.ts';
import { requireBillingRight } from '../require-payments.ts';
import { asPlatform } from './as-platform.ts';
import { enforceLimitsOf } from './enforce-limits.ts';
import { keepPastLimit } from './find-limits.ts';
import { spendingLimitInput } from './schema.ts';

/**
 * Removes a limit; what it had stopped is served again.
 * @throws billing_off, person_required, permission_required, spending_limit_not_found
 */
export async function removeSpendingLimit(
  context: OrganizationContext,
  input: z.input<typeof spendingLimitInput>,
): Promise<void> {
  const { account } = requireBillingRight(context, 'billing.manage');
  const { limit_id } = spendingLimitInput.parse(input);
  await inUnitOfWork(context, async ({ trx, now, audit }) => {
    const row = await trx
      .selectFrom('spending_limits')
      .selectAll()
      .where('id', '=', limit_id)
      .where('organization_id', '=', account.organizationId)
      .where('mode', '=', account.mode)
      .$if(isPostgres(trx), (query) => query.forUpdate())
      .executeTakeFirst();
    if (!row) throw new AppError('spending_limit_not_found');
    await keepPastLimit(trx, row, monthOf(now));
    await trx.deleteFrom('spending_limits').where('id', '=', row.id).execute();
    await audit({
      action: 'spending_limit.remove',
      resource_type: row.scope,
      resource_id: row.resource_id,
      organization_id: account.organizationId,
      before: { amount_cents: row.amount_cents, action: row.action },
    });
  });
  await enforceLimitsOf(asPlatform(context), account);
}
