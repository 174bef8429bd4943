import type { z } from 'zod';
import { actorName, type RequestContext, requireOperator } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { describeReports, selectReports } from './queries.ts';
import { type AbuseReport, dismissAbuseReportInput } from './schema.ts';

/**
 * Closes a report without taking action against the site, and returns it. A closed report keeps its decision.
 * @throws operator_required, abuse_report_not_found
 */
export async function dismissAbuseReport(
  context: RequestContext,
  input: z.input<typeof dismissAbuseReportInput>,
): Promise<AbuseReport> {
  requireOperator(context, 'manage');
  const { report_id, note } = dismissAbuseReportInput.parse(input);
  const { app, actor } = context;
  return inUnitOfWork(context, async ({ trx, now, audit }) => {
    const closed = await trx
      .updateTable('abuse_reports')
      .set({
        closed_at: now,
        outcome: 'dismissed',
        note: note || null,
        closed_by: actorName(actor),
      })
      .where('id', '=', report_id)
      .where('closed_at', 'is', null)
      .executeTakeFirstOrThrow();
    const row = await selectReports(trx).where('abuse_reports.id', '=', report_id).executeTakeFirst();
    if (!row) throw new AppError('abuse_report_not_found');
    if (closed.numUpdatedRows > 0n) {
      await audit({
        action: 'abuse.dismiss',
        resource_type: 'report',
        resource_id: row.id,
        organization_id: null,
        after: { address: row.address, note: row.note },
      });
    }
    const [report] = await describeReports(trx, app.config, [row]);
    if (!report) throw new AppError('abuse_report_not_found');
    return report;
  });
}
