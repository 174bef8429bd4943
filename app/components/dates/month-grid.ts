const DAY_MS = 86_400_000;
const WEEK = 7;

/** A day as `2026-11-25`; without a time it is the same everywhere. */
export type IsoDay = string;

/** Returns the day of a text as people write it in Canada (`2026-11-25`), or null where there is no such day. */
export function readDay(text: string): IsoDay | null {
  const written = /^\s*(\d{4})-(\d{1,2})-(\d{1,2})\s*$/.exec(text);
  if (!written) return null;
  const [, year = '', month = '', day = ''] = written;
  const iso = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const instant = Date.parse(iso);
  return !Number.isNaN(instant) && toDay(instant) === iso ? iso : null;
}

/** Returns the day that is this many days later, or earlier. */
export function addDays(day: IsoDay, days: number): IsoDay {
  return toDay(Date.parse(day) + days * DAY_MS);
}

/** Returns the same day of another month, or its last day where that month is shorter. */
export function addMonths(day: IsoDay, months: number): IsoDay {
  const date = new Date(day);
  const first = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1);
  const { length } = daysOfMonth(toDay(first));
  return toDay(first + (Math.min(date.getUTCDate(), length) - 1) * DAY_MS);
}

/** Returns the weeks of a day's month, Sunday first as Canadian calendars have it; null where another month begins or ends. */
export function weeksOfMonth(day: IsoDay): (IsoDay | null)[][] {
  const days = daysOfMonth(day);
  const before: null[] = new Array(new Date(days[0] ?? day).getUTCDay()).fill(null);
  const cells: (IsoDay | null)[] = [...before, ...days];
  const weeks: (IsoDay | null)[][] = [];
  for (let at = 0; at < cells.length; at += WEEK) {
    const week = cells.slice(at, at + WEEK);
    weeks.push([...week, ...new Array(WEEK - week.length).fill(null)]);
  }
  return weeks;
}

function daysOfMonth(day: IsoDay): IsoDay[] {
  const month = day.slice(0, 7);
  const days: IsoDay[] = [];
  for (let at = `${month}-01`; at.startsWith(month); at = addDays(at, 1)) days.push(at);
  return days;
}

function toDay(instant: number): IsoDay {
  return new Date(instant).toISOString().slice(0, 10);
}
