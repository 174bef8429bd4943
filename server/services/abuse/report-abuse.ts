import type { z } from 'zod';
import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { newId } from '#server/ids.ts';
import { addressKey } from '#server/limits/rate-limits.ts';
import { toInstant } from '../shared/schema.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { findReported } from './find-reported.ts';
import { queueReportNotice } from './queue-report-notice.ts';
import { OPEN_REPORTS_MAX, readReportedAddress } from './rules.ts';
import { type AbuseReceipt, reportAbuseInput } from './schema.ts';

const HOUR_SECONDS = 3600;

/**
 * Stores a report about an address, from anyone, for operators to review, and returns its reference. The
 * answer is the same whether or not the address leads to something here. Operators are emailed when no report
 * was waiting before.
 * @throws too_many_requests
 */
export async function reportAbuse(
  context: RequestContext,
  input: z.input<typeof reportAbuseInput>,
): Promise<AbuseReceipt> {
  const { address, kind, description, email } = reportAbuseInput.parse(input);
  const { app } = context;
  await app.rateLimits.consume('abuse_report_address', addressKey(context.address));
  await app.rateLimits.consume('abuse_report_installation', 'all');
  const url = readReportedAddress(address);
  return inUnitOfWork(context, async ({ trx, now, audit }) => {
    const id = newId(now);
    const reported = await findReported(trx, app.config, url ?? { hostname: '', pathname: '' });
    const { waiting } = await trx
      .selectFrom('abuse_reports')
      .select(({ fn }) => fn.countAll<number>().as('waiting'))
      .where('closed_at', 'is', null)
      .executeTakeFirstOrThrow();
    if (Number(waiting) >= OPEN_REPORTS_MAX)
      throw new AppError('too_many_requests', { seconds: HOUR_SECONDS });
    const values = { id, address: url?.href ?? address, kind, description, email: email ?? null };
    await trx
      .insertInto('abuse_reports')
      .values({ ...values, ...reported, created_at: now })
      .execute();
    await audit({
      action: 'abuse.report',
      resource_type: 'report',
      resource_id: id,
      organization_id: null,
      after: { address: values.address, kind, site_id: reported.site_id },
    });
    if (Number(waiting) === 0) await queueReportNotice(trx, app, values);
    return { id, created_at: toInstant(now) };
  });
}
