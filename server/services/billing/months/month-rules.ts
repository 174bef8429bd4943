/** A calendar month in UTC, from its first instant up to the first of the next one. */
export interface BillingMonth {
  year: number;
  /** 1 to 12. */
  month: number;
}

/** How long after its end a month stays open for usage that arrives late. */
const MONTH_CLOSES_AFTER_MS = 24 * 3_600_000;

/** Returns the month of an instant. */
export function monthOf(epochMs: number): BillingMonth {
  const date = new Date(epochMs);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1 };
}

/** Returns the first instant of a month. */
export function monthStart({ year, month }: BillingMonth): number {
  return Date.UTC(year, month - 1, 1);
}

/** Returns the first instant after a month. */
export function monthEnd({ year, month }: BillingMonth): number {
  return Date.UTC(year, month, 1);
}

/** Returns the month this many months later; earlier with a negative number. */
export function addMonths({ year, month }: BillingMonth, months: number): BillingMonth {
  return monthOf(Date.UTC(year, month - 1 + months, 1));
}

/** Whether a month's usage is considered complete: what arrives later is adjusted on the next invoice. */
export function isMonthClosed(month: BillingMonth, now: number): boolean {
  return now >= monthEnd(month) + MONTH_CLOSES_AFTER_MS;
}

/** Returns the newest month that is closed. */
export function lastClosedMonth(now: number): BillingMonth {
  const before = addMonths(monthOf(now), -1);
  return isMonthClosed(before, now) ? before : addMonths(before, -1);
}

/** Compares two months: negative when the first one is earlier. */
export function compareMonths(one: BillingMonth, other: BillingMonth): number {
  return one.year - other.year || one.month - other.month;
}

/** Formats a month: `2026-03`. */
export function formatMonth({ year, month }: BillingMonth): string {
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}`;
}

/** Parses a month such as `2026-03`; null for anything else. */
export function parseMonth(text: string): BillingMonth | null {
  const found = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text);
  return found ? { year: Number(found[1]), month: Number(found[2]) } : null;
}
