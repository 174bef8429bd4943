import type { Executor } from '#db/client.ts';
import type { BillingMode } from '#db/schema/billing-mode.ts';
import type { App } from '#server/context.ts';
import { type Account, findContacts } from '../queries.ts';
import { findLimitsOfMany } from '../spending/find-limits.ts';
import { limitSnapshot } from '../spending/limit-snapshot.ts';
import { type BillingTerms, billedDays, pricesIn } from './billing-terms.ts';
import { findLateUsages } from './late-usage.ts';
import { measureMonths } from './measure-usage.ts';
import type { BillingMonth } from './month-rules.ts';
import { type Snapshot, snapshotSchema } from './snapshot.ts';
import { placeOf } from './tax-place.ts';
import { TAX_TABLE_VERSION } from './tax-rules.ts';

/** A month of a billing mode, and the terms by which it is billed. */
export interface BilledMonth {
  mode: BillingMode;
  month: BillingMonth;
  terms: BillingTerms;
}

/** Returns the facts from which a month is billed, as currently known: usage, address, limits and prices. */
export async function takeSnapshot(
  executor: Executor,
  app: App,
  { organizationId, mode }: Account,
  billed: Omit<BilledMonth, 'mode'>,
): Promise<Snapshot> {
  const taken = await takeSnapshots(executor, app, [organizationId], { ...billed, mode });
  const snapshot = taken.get(organizationId);
  if (!snapshot) throw new Error('every organization has a snapshot');
  return snapshot;
}

/** Returns the same of many organizations, by their ids, with as many statements as of one unless they have limits. */
export async function takeSnapshots(
  executor: Executor,
  app: App,
  organizationIds: readonly string[],
  { mode, month, terms }: BilledMonth,
): Promise<Map<string, Snapshot>> {
  const [usages, late, limits, contacts] = await Promise.all([
    measureMonths(executor, organizationIds, { month, terms, until: app.clock.now() }),
    findLateUsages(executor, mode, organizationIds, month),
    findLimitsOfMany(executor, mode, organizationIds, month),
    findContacts(executor, mode, organizationIds),
  ]);
  const { version, storageMillicents } = pricesIn(terms, month);
  const snapshots = new Map<string, Snapshot>();
  for (const [organizationId, usage] of usages) {
    const whole = snapshotSchema.parse({
      ...billedDays(terms, month),
      price_version: version,
      storage_millicents: storageMillicents,
      tax_version: TAX_TABLE_VERSION,
      place: placeOf(contacts.get(organizationId) ?? null),
      ...usage,
      late: late.get(organizationId) ?? [],
      cuts: [],
      is_limited: false,
    });
    const own = limits.get(organizationId);
    snapshots.set(organizationId, own ? limitSnapshot(app, month, whole, own) : whole);
  }
  return snapshots;
}
