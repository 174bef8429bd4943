import type { Executor } from '#db/client.ts';
import type { Quantities } from './invoice-rules.ts';
import { measureUsage, quantitiesOf } from './measure-usage.ts';
import { addMonths, type BillingMonth, compareMonths } from './month-rules.ts';
import type { Account } from './queries.ts';
import { parseQuantities, readSnapshot, type Snapshot, storeQuantities } from './snapshot.ts';

/** Closed months for which usage can still arrive. */
const MONTHS_ADJUSTED = 6;

/**
 * Returns usage of closed months that no invoice has billed yet: batches that waited on a node's disk after
 * the month was closed. Sites and endpoints are counted when a month closes and never again.
 */
export async function findLateUsage(
  executor: Executor,
  account: Account,
  month: BillingMonth,
): Promise<Snapshot['late']> {
  const closed = await executor
    .selectFrom('billing_months')
    .select(['year', 'month', 'billed', 'snapshot', 'price_version'])
    .where('organization_id', '=', account.organizationId)
    .where('mode', '=', account.mode)
    .orderBy('year', 'desc')
    .orderBy('month', 'desc')
    .limit(MONTHS_ADJUSTED)
    .execute();
  const oldest = addMonths(month, -MONTHS_ADJUSTED);
  const late: Snapshot['late'] = [];
  for (const row of closed) {
    if (compareMonths(row, month) >= 0 || compareMonths(row, oldest) < 0) continue;
    const { start, end, is_limited, price_version } = readSnapshot(row.snapshot);
    if (is_limited) continue;
    const billed = parseQuantities(row.billed);
    const now = quantitiesOf(await measureUsage(executor, account.organizationId, start, end));
    const known: Quantities = {
      ...billed,
      bandwidth: most(billed.bandwidth, now.bandwidth),
      requests: most(billed.requests, now.requests),
    };
    if (known.bandwidth === billed.bandwidth && known.requests === billed.requests) continue;
    late.push({
      year: row.year,
      month: row.month,
      price_version,
      billed: storeQuantities(billed),
      known: storeQuantities(known),
    });
  }
  return late;
}

/** Counters only grow. */
function most(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
