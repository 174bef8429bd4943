import type { RequestContext } from '#server/context.ts';
import { removeInSlices } from '../shared/remove-in-slices.ts';
import { REPORTS_KEPT_MS } from './rules.ts';

/** Removes reports a year after they were decided, and returns how many. */
export async function purgeAbuseReports(
  { app }: RequestContext,
  stopping?: AbortSignal,
): Promise<{ purged: number }> {
  const before = app.clock.now() - REPORTS_KEPT_MS;
  const remove = (limit: number) =>
    app.db
      .deleteFrom('abuse_reports')
      .where('id', 'in', (eb) =>
        eb.selectFrom('abuse_reports').select('id').where('closed_at', '<=', before).limit(limit),
      )
      .executeTakeFirstOrThrow();
  return { purged: await removeInSlices(remove, stopping) };
}
