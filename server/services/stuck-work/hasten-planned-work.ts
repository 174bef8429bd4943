import { sql } from 'kysely';
import { isLocalAuthority } from '#server/certificate-authority/local-authority.ts';
import type { App, RequestContext } from '#server/context.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, WEEK_MS } from '#server/durations.ts';

/** The clocks of nodes may differ by this much. */
const CLOCKS_DIFFER_MS = MINUTE_MS;

interface Planned {
  table: string;
  column: string;
  /** How far ahead it is planned at most. */
  atMostMs: number;
  only?: string;
}

/** What waits for a time, each with the longest pause that its own rules allow. */
const PLANNED: readonly Planned[] = [
  { table: 'outgoing_mails', column: 'next_attempt_at', atMostMs: DAY_MS },
  { table: 'webhook_messages', column: 'next_attempt_at', atMostMs: 12 * HOUR_MS },
  { table: 'webhook_events', column: 'next_attempt_at', atMostMs: 6 * HOUR_MS },
  { table: 'stuck_work', column: 'next_attempt_at', atMostMs: 6 * HOUR_MS },
  { table: 'invoices', column: 'next_attempt_at', atMostMs: 2 * WEEK_MS },
  { table: 'certificate_bundles', column: 'next_check_at', atMostMs: 2 * DAY_MS },
  // Another attempt after a failure, at the latest when an authority's limit ends.
  { table: 'certificate_bundles', column: 'next_issue_at', atMostMs: WEEK_MS + DAY_MS, only: 'attempts > 0' },
];

/**
 * Makes due what is planned later than its rules allow, and returns how much: a clock that was ahead planned it, and
 * it would wait until then. A renewal planned after the end of its certificate is due as well, and so is that of a
 * certificate which this installation has issued for a later time: no visitor accepts it before.
 */
export async function hastenPlannedWork({ app }: RequestContext): Promise<{ hastened: number }> {
  const now = app.clock.now();
  let hastened = 0;
  for (const { table, column, atMostMs, only = '1 = 1' } of PLANNED) {
    const result = await sql`
      update ${sql.table(table)} set ${sql.ref(column)} = ${now}
      where ${sql.ref(column)} > ${now + atMostMs + CLOCKS_DIFFER_MS} and ${sql.raw(only)}`.execute(app.db);
    hastened += Number(result.numAffectedRows ?? 0n);
  }
  // Right after an issue a renewal may be planned an hour ahead, by a clock that is still ahead of the certificate.
  const { numUpdatedRows } = await app.db
    .updateTable('certificate_bundles')
    .set({ renew_at: now, next_issue_at: now })
    .whereRef('renew_at', '>', 'valid_until')
    .where('renew_at', '>', now + 2 * HOUR_MS)
    .executeTakeFirstOrThrow();
  hastened += Number(numUpdatedRows);
  hastened += await replaceEarlyCertificates(app);
  if (hastened > 0) app.logger.warn({ hastened }, 'what a clock that was ahead had planned is done now');
  return { hastened };
}

/**
 * Has certificates of the local authority issued again whose time has not come. One of another authority has the time
 * of that authority: then it is this clock that is behind.
 */
async function replaceEarlyCertificates({ authority, clock, db }: App): Promise<number> {
  if (!isLocalAuthority(authority)) return 0;
  const now = clock.now();
  const { numUpdatedRows } = await db
    .updateTable('certificate_bundles')
    .set({ renew_at: now, next_issue_at: now })
    .where('authority', '=', authority.name)
    .where('valid_from', '>', now + CLOCKS_DIFFER_MS)
    .where('next_issue_at', '>', now)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}
