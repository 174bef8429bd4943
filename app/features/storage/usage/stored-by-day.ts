const HOURS_OF_DAY = 24;

/**
 * Returns the average number of bytes stored on each day of a range. For the current day, the average covers
 * only the hours that have passed, so that it does not look like a deletion.
 * @param elapsedHours since the start of the first day
 */
export function storedByDay(points: readonly { byte_hours: number }[], elapsedHours: number): number[] {
  return points.map(({ byte_hours }, day) => {
    const hours = Math.min(HOURS_OF_DAY, elapsedHours - day * HOURS_OF_DAY);
    return hours <= 0 ? 0 : byte_hours / hours;
  });
}
