import type { Executor } from '#db/client.ts';
import type { BillingMode } from '#db/schema/billing-mode.ts';
import type { Quantities } from '../invoices/invoice-rules.ts';
import { measureUsages, quantitiesOf } from './measure-usage.ts';
import { addMonths, type BillingMonth, compareMonths } from './month-rules.ts';
import { parseQuantities, readSnapshot, type Snapshot, storeQuantities } from './snapshot.ts';

/** Closed months for which usage can still arrive. */
const MONTHS_ADJUSTED = 6;

/**
 * Returns usage of closed months that no invoice has billed yet, by organization: batches that waited on a node's disk for longer
 * than the month stayed open. Sites, endpoints and what is stored are counted when a month closes and never again.
 */
export async function findLateUsages(
  executor: Executor,
  mode: BillingMode,
  organizationIds: readonly string[],
  month: BillingMonth,
): Promise<Map<string, Snapshot['late']>> {
  const oldest = addMonths(month, -MONTHS_ADJUSTED);
  const rows = await executor
    .selectFrom('billing_months')
    .select(['organization_id', 'year', 'month', 'billed', 'snapshot'])
    .where('organization_id', 'in', organizationIds)
    .where('mode', '=', mode)
    .where('year', '>=', oldest.year)
    .orderBy('year', 'desc')
    .orderBy('month', 'desc')
    .execute();
  const closed = rows
    .filter((row) => compareMonths(row, month) < 0 && compareMonths(row, oldest) >= 0)
    .map(({ snapshot, billed, ...row }) => ({
      ...row,
      frozen: readSnapshot(snapshot),
      billed: parseQuantities(billed),
    }))
    .filter(({ frozen }) => !frozen.is_limited);
  const late = new Map<string, Snapshot['late']>();
  for (const months of Map.groupBy(closed, ({ frozen }) => `${frozen.start} ${frozen.end}`).values()) {
    const [{ start, end } = { start: 0, end: 0 }] = months.map(({ frozen }) => frozen);
    const ids = months.map(({ organization_id }) => organization_id);
    const usages = await measureUsages(executor, ids, { start, end });
    for (const { organization_id, year, month: number, billed, frozen } of months) {
      const usage = usages.get(organization_id);
      if (!usage) continue;
      const now = quantitiesOf(usage);
      const known: Quantities = {
        ...billed,
        bandwidth: most(billed.bandwidth, now.bandwidth),
        requests: most(billed.requests, now.requests),
      };
      if (known.bandwidth === billed.bandwidth && known.requests === billed.requests) continue;
      const found = late.get(organization_id) ?? [];
      late.set(organization_id, found);
      found.push({
        year,
        month: number,
        price_version: frozen.price_version,
        storage_millicents: frozen.storage_millicents,
        billed: storeQuantities(billed),
        known: storeQuantities(known),
      });
    }
  }
  return late;
}

/** Counters only grow. */
function most(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
