import { type LimitCut, taxCents } from '../invoices/invoice-rules.ts';
import { type Prices, rateCents, type UsageKind } from '../months/rating-rules.ts';

/** What a spending limit applies to. */
export const LIMIT_SCOPES = ['organization', 'site', 'endpoint'] as const;
export type LimitScope = (typeof LIMIT_SCOPES)[number];

/**
 * What happens at the limit: people are told, or what has reached it is not served for the rest of the month.
 */
export const LIMIT_ACTIONS = ['notify', 'stop'] as const;
export type LimitAction = (typeof LIMIT_ACTIONS)[number];

/** Shares of a limit, in percent, at each of which people are told once a month. */
export const ALERT_SHARES = [50, 75, 90, 100] as const;
export type AlertShare = (typeof ALERT_SHARES)[number];

/** A million dollars a month: more is a typing error. */
export const LIMIT_CENTS_MAX = 100_000_000;

/** Returns what a limit applies to as the API and webhooks name it: null is the organization. */
export function wireIdOf({ scope, resource_id }: Pick<Limit, 'scope' | 'resource_id'>): string | null {
  return scope === 'organization' ? null : resource_id;
}

/** A limit in the form that the rules use. */
export interface Limit {
  scope: LimitScope;
  resource_id: string;
  action: LimitAction;
  /**
   * The most that may be billed, unless storage alone costs more: what was spent before it was set in the same month stays billed.
   */
  capCents: number;
}

/** Usage of a month, by the resource that served it. */
export interface LimitedUsage {
  resources: readonly { id: string; type: 'site' | 'endpoint' }[];
  served: readonly {
    endpoint_id: string | null;
    site_id: string | null;
    bytes: string;
    requests: string;
  }[];
}

/** The cost of one site or endpoint by kind. */
type Spent = Record<UsageKind, number>;

const NOTHING_SPENT: Readonly<Spent> = { site: 0, endpoint: 0, bandwidth: 0, requests: 0, storage: 0 };

/**
 * What is cut first: traffic, then what exists. What is stored is never cut: a limit ends serving, but the bytes stay and can be
 * read, so they are billed as long as they are stored.
 */
const CUT_ORDER = ['bandwidth', 'requests', 'endpoint', 'site'] as const satisfies readonly UsageKind[];

/**
 * Returns the cents by kind that a site or an endpoint costs so far, before taxes: itself, and what it served. A site's own is what it served at all
 * hostnames. Storage belongs to neither.
 */
export function spentOn(
  usage: LimitedUsage,
  scope: 'site' | 'endpoint',
  resourceId: string,
  prices: Prices,
): Spent {
  const own = usage.served.filter((row) =>
    scope === 'site' ? row.site_id === resourceId : row.endpoint_id === resourceId,
  );
  const sum = (name: 'bytes' | 'requests') => own.reduce((all, row) => all + BigInt(row[name]), 0n);
  const isThere = usage.resources.some(({ id, type }) => id === resourceId && type === scope);
  return {
    site: scope === 'site' && isThere ? rateCents('site', 1n, prices) : 0,
    endpoint: scope === 'endpoint' && isThere ? rateCents('endpoint', 1n, prices) : 0,
    bandwidth: rateCents('bandwidth', sum('bytes'), prices),
    requests: rateCents('requests', sum('requests'), prices),
    storage: 0,
  };
}

/** Returns the total cost of a resource. */
export function totalOf(spent: Spent): number {
  return Object.values(spent).reduce((sum, cents) => sum + cents, 0);
}

/** Returns which of the alert shares have been reached. */
export function sharesReached(spentCents: number, limitCents: number): AlertShare[] {
  return ALERT_SHARES.filter((share) => spentCents * 100 >= share * limitCents);
}

/** Returns the highest amount before taxes whose total with taxes does not exceed a limit. */
export function subtotalWithin(limitCents: number, ratesMilli: readonly number[]): number {
  const totalWith = (subtotal: number) =>
    ratesMilli.reduce((sum, rate) => sum + taxCents(BigInt(subtotal), rate), subtotal);
  const rates = ratesMilli.reduce((sum, rate) => sum + rate, 0);
  let subtotal = Math.floor((limitCents * 100_000) / (100_000 + rates)) + ratesMilli.length;
  while (subtotal > 0 && totalWith(subtotal) > limitCents) subtotal -= 1;
  return Math.max(0, subtotal);
}

/** A month before its limits are applied. */
export interface UncutMonth {
  usage: LimitedUsage;
  /** The cents of the invoice's lines by kind. */
  lines: Spent;
  /** Other amounts of the invoice before taxes. */
  otherCents: number;
  /** The rates of its taxes, in thousandths of a percent. */
  ratesMilli: readonly number[];
  prices: Prices;
}

/**
 * Returns the cents by kind that stop limits remove from an invoice: first on endpoints, then on sites, then on the
 * organization, whose limit includes taxes. What was removed from the traffic of an endpoint is not removed
 * again for the sites that it served. Storage counts under the limit of the organization and is never
 * removed: everything else is cut to what it leaves of the limit.
 */
export function cutsOf(
  { usage, lines, otherCents, ratesMilli, prices }: UncutMonth,
  limits: readonly Limit[],
): LimitCut[] {
  const left: Spent = { ...lines };
  const cuts: Spent = { ...NOTHING_SPENT };
  const cut = (cents: number, room: Spent) => {
    let missing = cents;
    for (const kind of CUT_ORDER) {
      const taken = Math.max(0, Math.min(missing, room[kind], left[kind]));
      left[kind] -= taken;
      cuts[kind] += taken;
      room[kind] -= taken;
      missing -= taken;
    }
    return cents - missing;
  };
  const stopping = limits.filter(({ action }) => action === 'stop');
  const cutByEndpoint = new Map<string, Spent>();
  for (const { resource_id, capCents } of stopping.filter(({ scope }) => scope === 'endpoint')) {
    const room = spentOn(usage, 'endpoint', resource_id, prices);
    const { bandwidth, requests } = room;
    cut(Math.max(0, totalOf(room) - capCents), room);
    cutByEndpoint.set(resource_id, {
      ...NOTHING_SPENT,
      bandwidth: bandwidth - room.bandwidth,
      requests: requests - room.requests,
    });
  }
  for (const { resource_id, capCents } of stopping.filter(({ scope }) => scope === 'site')) {
    const room = spentOn(usage, 'site', resource_id, prices);
    for (const [endpointId, taken] of cutByEndpoint) {
      const ids = { endpointId, siteId: resource_id };
      const bytes = shareOfSite(usage, ids, 'bytes', taken.bandwidth);
      const requests = shareOfSite(usage, ids, 'requests', taken.requests);
      // Each is rounded by itself.
      room.bandwidth = Math.max(0, room.bandwidth - bytes);
      room.requests = Math.max(0, room.requests - requests);
    }
    cut(Math.max(0, totalOf(room) - capCents), room);
  }
  const own = stopping.find(({ scope }) => scope === 'organization');
  if (own) {
    const most = subtotalWithin(own.capCents, ratesMilli);
    cut(Math.max(0, totalOf(left) + otherCents - most), { ...left });
  }
  return CUT_ORDER.flatMap((kind): LimitCut[] => (cuts[kind] > 0 ? [{ kind, cents: cuts[kind] }] : []));
}

/** Returns the cents of an amount that belong to a site, by the share that an endpoint has served of it; never more than the amount. */
function shareOfSite(
  usage: LimitedUsage,
  { endpointId, siteId }: { endpointId: string; siteId: string },
  unit: 'bytes' | 'requests',
  cents: number,
): number {
  const rows = usage.served.filter(({ endpoint_id }) => endpoint_id === endpointId);
  const sum = (some: typeof rows) => some.reduce((all, row) => all + BigInt(row[unit]), 0n);
  const whole = sum(rows);
  if (whole === 0n) return 0;
  return Number((BigInt(cents) * sum(rows.filter(({ site_id }) => site_id === siteId))) / whole);
}

/**
 * Returns the most that may be billed under a limit in a month, unless storage alone costs more: it never
 * undoes what was spent before it was set.
 */
export function capOf(
  limit: { amount_cents: number; spent_cents: number; set_year: number; set_month: number },
  month: { year: number; month: number },
): number {
  const isSetThen = limit.set_year === month.year && limit.set_month === month.month;
  return isSetThen ? Math.max(limit.amount_cents, limit.spent_cents) : limit.amount_cents;
}

/** Whether a limit had been set by the end of a month. A later one does not affect it. */
export function isSetBy(
  limit: { set_year: number; set_month: number },
  month: { year: number; month: number },
): boolean {
  return (limit.set_year - month.year || limit.set_month - month.month) <= 0;
}

/** Whether something is no longer served after this much was spent under its limit. */
export function isStoppedAt(
  limit: Parameters<typeof capOf>[0] & Pick<Limit, 'action'>,
  spentCents: number,
  month: { year: number; month: number },
): boolean {
  return limit.action === 'stop' && spentCents >= capOf(limit, month);
}
