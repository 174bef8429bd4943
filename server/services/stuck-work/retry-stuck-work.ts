import { type RequestContext, requireOperator } from '#server/context.ts';
import { AppError } from '#server/errors.ts';

/**
 * Ends the pause of what a job could not do: its next run retries it. Returns how many there were.
 * @throws operator_required, not_found when nothing of the job is stuck
 */
export async function retryStuckWork(
  context: RequestContext,
  { job }: { job: string },
): Promise<{ job: string; retried: number }> {
  requireOperator(context, 'manage');
  const { db, clock } = context.app;
  const { numUpdatedRows } = await db
    .updateTable('stuck_work')
    .set({ next_attempt_at: clock.now() })
    .where('job', '=', job)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new AppError('not_found');
  return { job, retried: Number(numUpdatedRows) };
}
