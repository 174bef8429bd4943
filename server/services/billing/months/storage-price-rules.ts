import { addMonths, type BillingMonth, compareMonths } from './month-rules.ts';

/** A price of storage, with the first month that it holds for. */
export interface NotedStoragePrice extends BillingMonth {
  /** Thousandths of a cent for a GB that is stored for a month; 0 for none. */
  millicents: number;
}

/** Prices that are remembered: months are billed within a year, and each has two at most. */
const NOTED_MAX = 48;

/** Returns the price of storage in a month, in thousandths of a cent; 0 for none. */
export function storagePriceIn(noted: readonly NotedStoragePrice[], month: BillingMonth): number {
  return noted.findLast((price) => compareMonths(price, month) <= 0)?.millicents ?? 0;
}

/** Returns a price that is known already and holds from a later month on, or null. */
export function comingStoragePrice(
  noted: readonly NotedStoragePrice[],
  month: BillingMonth,
): NotedStoragePrice | null {
  return noted.find((price) => compareMonths(price, month) > 0) ?? null;
}

/**
 * Returns the prices that are remembered once one has been set in a month. A month has one price, and it never becomes dearer while it runs: a
 * higher price holds from the next month on, a lower one at once.
 * @param isBeginning whether billing begins with it: then it holds at once too, since nothing before that is billed
 */
export function noteStoragePrice(
  noted: readonly NotedStoragePrice[],
  millicents: number,
  month: BillingMonth,
  isBeginning: boolean,
): readonly NotedStoragePrice[] {
  if ((noted.at(-1)?.millicents ?? 0) === millicents && !isBeginning) return noted;
  const isNow = isBeginning || millicents <= storagePriceIn(noted, month);
  const kept = noted.filter((price) => compareMonths(price, month) < (isNow ? 0 : 1));
  const from = isNow ? month : addMonths(month, 1);
  return [...kept, { year: from.year, month: from.month, millicents }].slice(-NOTED_MAX);
}
