import type { App } from '#server/context.ts';
import { quantitiesOf } from '../months/measure-usage.ts';
import type { BillingMonth } from '../months/month-rules.ts';
import { rateCents } from '../months/rating-rules.ts';
import { pricesOf, recomputeInvoice, type Snapshot } from '../months/snapshot.ts';
import { NOWHERE, type Registrations, type TaxPlace, taxesAt } from '../months/tax-rules.ts';
import { HIGHEST_TAXES } from './find-limits.ts';
import { cutsOf, type Limit } from './limit-rules.ts';

/** Returns a snapshot, or the forecast of one, cut by the limits that held in its month. */
export function limitSnapshot(
  app: App,
  month: BillingMonth,
  whole: Snapshot,
  limits: readonly Limit[],
): Snapshot {
  const place = whole.place ?? HIGHEST_TAXES;
  const { registrations } = app.config.billing;
  const cut = (snapshot: Snapshot) => cutSnapshot(month, snapshot, limits, { place, registrations });
  const limited = cut(whole);
  // Late usage that would take the invoice above a limit waits for a month with room for it.
  const cap = limits.find(({ scope, action }) => scope === 'organization' && action === 'stop');
  const isWithin = !cap || recomputeInvoice(month, limited, place, registrations).totalCents <= cap.capCents;
  return isWithin ? limited : cut({ ...whole, late: [] });
}

function cutSnapshot(
  month: BillingMonth,
  whole: Snapshot,
  limits: readonly Limit[],
  { place, registrations }: { place: TaxPlace; registrations: Registrations },
): Snapshot {
  const prices = pricesOf(whole);
  const quantities = quantitiesOf(whole);
  const lines = {
    site: rateCents('site', quantities.site, prices),
    endpoint: rateCents('endpoint', quantities.endpoint, prices),
    bandwidth: rateCents('bandwidth', quantities.bandwidth, prices),
    requests: rateCents('requests', quantities.requests, prices),
    storage: rateCents('storage', quantities.storage, prices),
  };
  const lateCents = recomputeInvoice(month, { ...whole, cuts: [] }, NOWHERE, {})
    .lines.filter(({ kind }) => kind === 'adjustment')
    .reduce((sum, { amountCents }) => sum + amountCents, 0);
  const lastDay = new Date(whole.end - 1).toISOString().slice(0, 10);
  const ratesMilli = taxesAt(place, lastDay, registrations).taxes.map(({ rateMilli }) => rateMilli);
  return {
    ...whole,
    cuts: cutsOf({ usage: whole, lines, otherCents: lateCents, ratesMilli, prices }, limits),
    is_limited: limits.some(({ action }) => action === 'stop'),
  };
}
