import { z } from 'zod';
import type { Executor } from '#db/client.ts';
import { type BillingMonth, monthEnd, monthStart } from './month-rules.ts';
import { isPriceVersion, type Prices, priceVersionIn } from './rating-rules.ts';
import { type NotedStoragePrice, storagePriceIn } from './storage-price-rules.ts';

const DAY_MS = 86_400_000;

/** The prices of storage that have been set, as JSON, the earliest first. */
export const STORAGE_PRICES_VALUE = 'storage_prices';
/** Followed by a billing mode: the instant from which it bills. */
export const SINCE_VALUE = 'billing_since_';

/** What an installation bills by, besides the fixed prices. */
export interface BillingTerms {
  /** When billing began in this mode. */
  since: number;
  storagePrices: readonly NotedStoragePrice[];
}

const storagePricesSchema = z.array(
  z.object({ year: z.number().int(), month: z.number().int(), millicents: z.number().int().nonnegative() }),
);

/** Returns prices of storage that were noted. */
export function readStoragePrices(value: string | undefined): NotedStoragePrice[] {
  return storagePricesSchema.parse(JSON.parse(value ?? '[]'));
}

/** Returns the terms of a billing mode. */
export async function findBillingTerms(executor: Executor, mode: string): Promise<BillingTerms> {
  const rows = await executor
    .selectFrom('installation_values')
    .select(['name', 'value'])
    .where('name', 'in', [`${SINCE_VALUE}${mode}`, STORAGE_PRICES_VALUE])
    .execute();
  const values = new Map(rows.map(({ name, value }) => [name, value]));
  return {
    since: Number(values.get(`${SINCE_VALUE}${mode}`) ?? 0),
    storagePrices: readStoragePrices(values.get(STORAGE_PRICES_VALUE)),
  };
}

/**
 * Returns the whole days of a month that are billed, half-open; none when `end` is not after `start`. Usage before billing began is
 * free, and usage is kept by the day: in the first month, they begin with the first whole day after that.
 */
export function billedDays({ since }: BillingTerms, month: BillingMonth): { start: number; end: number } {
  const start = Math.max(monthStart(month), Math.ceil(since / DAY_MS) * DAY_MS);
  return { start, end: Math.max(start, monthEnd(month)) };
}

/** Whether what is stored in a month is billed. */
export function isStorageBilled(terms: BillingTerms, month: BillingMonth): boolean {
  return pricesIn(terms, month).storageMillicents > 0;
}

/** Returns the prices of a month. */
export function pricesIn({ storagePrices }: BillingTerms, month: BillingMonth): Prices {
  const version = priceVersionIn(month);
  if (!isPriceVersion(version)) throw new Error(`there are no prices ${version}`);
  return { version, storageMillicents: storagePriceIn(storagePrices, month) };
}
