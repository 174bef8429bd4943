/** Returns the first and the last day of the month before the one of an instant, in UTC. */
export function lastMonthDays(now: number): { start_date: string; end_date: string } {
  const date = new Date(now);
  const dayOf = (month: number, day: number) =>
    new Date(Date.UTC(date.getUTCFullYear(), month, day)).toISOString().slice(0, 10);
  return { start_date: dayOf(date.getUTCMonth() - 1, 1), end_date: dayOf(date.getUTCMonth(), 0) };
}
