/** The kinds of usage with a price, in the order of an invoice. */
export const USAGE_KINDS = ['site', 'endpoint', 'bandwidth', 'requests', 'storage'] as const;
export type UsageKind = (typeof USAGE_KINDS)[number];

/** The kinds with fixed prices; storage costs what the operator has set, which is nothing by default. */
type ListedKind = Exclude<UsageKind, 'storage'>;

/** Cents per unit, as a fraction: one byte costs 10/2^30 cents. */
export interface UnitPrice {
  num: bigint;
  den: bigint;
}

/** One GB, for prices and quantities. */
const GB_BYTES = 2 ** 30;
/** Requests are shown and priced by the million. */
const MILLION = 1_000_000;
/** Hours of a month of storage: a year of 365 days has twelve of them, so that a price means the same in every month. */
const MONTH_HOURS = 730;
/** Byte-hours of one GB that is stored for a month. */
export const GB_MONTH_BYTE_HOURS = GB_BYTES * MONTH_HOURS;

/**
 * $3.00 per active site, $2.00 per CDN endpoint, $0.10 per GB, $1.00 per million requests. A version is named after the first month
 * that it holds for, and never changes: new prices get a new version, for a month that has not begun.
 */
const PRICE_TABLES = {
  '2026-01': {
    site: { num: 300n, den: 1n },
    endpoint: { num: 200n, den: 1n },
    bandwidth: { num: 10n, den: BigInt(GB_BYTES) },
    requests: { num: 100n, den: BigInt(MILLION) },
  },
} as const satisfies Record<string, Record<ListedKind, UnitPrice>>;

export type PriceVersion = keyof typeof PRICE_TABLES;
export const CURRENT_PRICES: PriceVersion = '2026-01';

/** Returns the version that a month is billed at, however late it is closed; the first one for months before it. */
export function priceVersionIn(
  month: { year: number; month: number },
  versions: readonly string[] = Object.keys(PRICE_TABLES),
): string {
  const name = `${month.year}-${String(month.month).padStart(2, '0')}`;
  const [first = CURRENT_PRICES, ...later] = versions.toSorted();
  return later.findLast((version) => version <= name) ?? first;
}

/** Whether a price table of that version exists. */
export function isPriceVersion(version: string): version is PriceVersion {
  return Object.hasOwn(PRICE_TABLES, version);
}

/** What a month is billed at. */
export interface Prices {
  version: PriceVersion;
  /** Thousandths of a cent for a GB that is stored for a month; 0 where storage is not billed. */
  storageMillicents: number;
}

/** The fixed prices alone: storage is not billed. */
export const LISTED_PRICES: Prices = { version: CURRENT_PRICES, storageMillicents: 0 };

/** Returns the price of one unit: of storage, a byte-hour. */
export function unitPriceOf(kind: UsageKind, prices: Prices = LISTED_PRICES): UnitPrice {
  if (kind !== 'storage') return PRICE_TABLES[prices.version][kind];
  return { num: BigInt(prices.storageMillicents), den: 1_000n * BigInt(GB_MONTH_BYTE_HOURS) };
}

/** The unit of a line's rate: each site and endpoint, a GB, a million requests, a GB for a month. */
export const RATE_UNITS: Record<UsageKind, bigint> = {
  site: 1n,
  endpoint: 1n,
  bandwidth: BigInt(GB_BYTES),
  requests: BigInt(MILLION),
  storage: BigInt(GB_MONTH_BYTE_HOURS),
};

/** Returns the printed rate in thousandths of a cent: 10,000 per GB, 100,000 per million requests. */
export function printedRateMillicents(kind: UsageKind, prices: Prices = LISTED_PRICES): number {
  const { num, den } = unitPriceOf(kind, prices);
  return Number((1_000n * num * RATE_UNITS[kind]) / den);
}

/** Returns num/den as an integer, with halves rounded away from zero. `den` is positive. */
export function roundHalfUp(num: bigint, den: bigint): bigint {
  const magnitude = num < 0n ? -num : num;
  const rounded = (2n * magnitude + den) / (2n * den);
  return num < 0n ? -rounded : rounded;
}

/**
 * Converts an amount to the number that is stored.
 * @throws RangeError beyond what a number holds exactly
 */
export function toCents(amount: bigint): number {
  const cents = Number(amount);
  if (!Number.isSafeInteger(cents)) throw new RangeError(`${amount} cents cannot be billed`);
  return cents;
}

/**
 * Returns the cost in cents of a month's quantity, rounded once: the same for the estimate of a running month
 * and for its invoice. The quantity is the sum of the whole month, because hourly rows rounded one by one
 * would add up to zero.
 */
export function rateCents(kind: UsageKind, quantity: bigint, prices: Prices = LISTED_PRICES): number {
  const { num, den } = unitPriceOf(kind, prices);
  return toCents(roundHalfUp(quantity * num, den));
}
