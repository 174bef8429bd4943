import type { Executor } from '#db/client.ts';
import { findBillingTerms, isStorageBilled } from '../months/billing-terms.ts';
import { monthOf } from '../months/month-rules.ts';

/**
 * Whether an organization may store nothing more because its own spending limit stops it. Only where storage costs something: what
 * is free does not spend.
 */
export async function isStorageStopped(
  executor: Executor,
  organizationId: string,
  now: number,
): Promise<boolean> {
  const stop = await executor
    .selectFrom('spending_stops')
    .select('mode')
    .where('organization_id', '=', organizationId)
    .where('resource_id', '=', organizationId)
    .where('scope', '=', 'organization')
    .executeTakeFirst();
  if (stop === undefined) return false;
  return isStorageBilled(await findBillingTerms(executor, stop.mode), monthOf(now));
}
