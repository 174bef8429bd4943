import type { RequestContext } from '#server/context.ts';
import { DAY_MS, dayOf, HOURS_KEPT_MS, hourOf, PATHS_KEPT_MS, PATHS_KEPT_PER_DAY } from './rules.ts';

/** A node that was away for longer than this and comes back with batches has them counted again if it sends them twice. */
const CURSORS_KEPT_MS = 400 * DAY_MS;

/**
 * Removes hours and listed files that are too old to be kept, and of yesterday's files all but those asked for most. Days
 * stay for ever. Safe to repeat and to interrupt: a series at a time, so that it holds nobody up.
 */
export async function pruneUsage(
  { app }: RequestContext,
  stopping?: AbortSignal,
): Promise<{ hours: number; paths: number }> {
  const now = app.clock.now();
  const pruned = { hours: 0, paths: 0 };
  await app.db
    .deleteFrom('usage_cursors')
    .where('updated_at', '<', now - CURSORS_KEPT_MS)
    .execute();
  const series = await app.db.selectFrom('usage_series').select('id').orderBy('id').execute();
  for (const { id } of series) {
    if (stopping?.aborted) break;
    const hours = await app.db
      .deleteFrom('usage_hours')
      .where('series_id', '=', id)
      .where('hour', '<', hourOf(now - HOURS_KEPT_MS))
      .executeTakeFirstOrThrow();
    const old = await app.db
      .deleteFrom('usage_paths')
      .where('series_id', '=', id)
      .where('day', '<', dayOf(now - PATHS_KEPT_MS))
      .executeTakeFirstOrThrow();
    const rare = await app.db
      .deleteFrom('usage_paths')
      .where('series_id', '=', id)
      .where('day', '=', dayOf(now) - DAY_MS)
      .where('path', 'not in', (eb) =>
        eb
          .selectFrom('usage_paths as kept')
          .select('kept.path')
          .where('kept.series_id', '=', id)
          .where('kept.day', '=', dayOf(now) - DAY_MS)
          .orderBy('kept.bytes_sent', 'desc')
          .orderBy('kept.path')
          .limit(PATHS_KEPT_PER_DAY),
      )
      .executeTakeFirstOrThrow();
    pruned.hours += Number(hours.numDeletedRows);
    pruned.paths += Number(old.numDeletedRows + rare.numDeletedRows);
  }
  return pruned;
}
