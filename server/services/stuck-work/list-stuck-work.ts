import { type RequestContext, requireOperator } from '#server/context.ts';
import { toInstant } from '../shared/schema.ts';
import type { StuckItem } from './schema.ts';

/** Shown at most: if more is stuck, it has the same cause. */
const SHOWN_MAX = 200;

/** Lists the items that jobs could not process, the longest stuck first. @throws operator_required */
export async function listStuckWork(context: RequestContext): Promise<StuckItem[]> {
  requireOperator(context, 'read');
  const rows = await context.app.db
    .selectFrom('stuck_work')
    .selectAll()
    .orderBy('first_failed_at')
    .orderBy('job')
    .orderBy('item')
    .limit(SHOWN_MAX)
    .execute();
  return rows.map(({ job, item, attempts, error, first_failed_at, next_attempt_at }) => ({
    job,
    item: item === '' ? null : item,
    attempts,
    error,
    first_failed_at: toInstant(first_failed_at),
    next_attempt_at: toInstant(next_attempt_at),
  }));
}
