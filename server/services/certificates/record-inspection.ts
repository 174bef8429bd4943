import type { Trx } from '#db/client.ts';
import { type AfterCommit, inTransaction } from '#db/transaction.ts';
import type { App } from '#server/context.ts';
import { recordEdgeChange } from '#server/edge-changes.ts';
import { nextCheckAt } from './check-rules.ts';
import { changesOfInspection } from './inspection-rules.ts';
import type { DnsReport } from './schema.ts';

/**
 * Keeps what a look at a bundle's records has found, and what follows from it: since when they are right, that control is
 * proven, that a certificate can be issued now. A look that began before the last one that was kept changes nothing. Returns
 * whether it was kept.
 * @param also what is to be written in the same transaction, e.g. who asked for the look
 */
export async function recordInspection(
  app: App,
  bundleId: string,
  report: DnsReport,
  also?: (trx: Trx) => Promise<void>,
): Promise<boolean> {
  const now = app.clock.now();
  const startedAt = Date.parse(report.checked_at);
  return inTransaction(app.db, async (trx, afterCommit) => {
    // The write comes first, so that two nodes decide one after the other, each on what the other has left.
    const row = await trx
      .updateTable('certificate_bundles')
      .set({ dns_checked_at: startedAt, dns_report: JSON.stringify(report) })
      .where('id', '=', bundleId)
      .where((eb) => eb.or([eb('dns_checked_at', 'is', null), eb('dns_checked_at', '<=', startedAt)]))
      .returning([
        'endpoint_id',
        'domain_name',
        'dns_validated_at',
        'dns_challenge_validated_at',
        'dns_problem_since',
        'issued_at',
        'valid_until',
        'renew_at',
        'next_issue_at',
        'failure_code',
        'created_at',
      ])
      .executeTakeFirst();
    await also?.(trx);
    if (!row) return false;
    const changes = changesOfInspection(row, report, now);
    const next = nextCheckAt({ ...row, ...changes, ...summaryOf(report) }, now, Math.random());
    await trx
      .updateTable('certificate_bundles')
      .set({ ...changes, next_check_at: next })
      .where('id', '=', bundleId)
      .execute();
    if (report.is_proven && row.endpoint_id !== null) {
      await prove(trx, afterCommit, app, row.endpoint_id, row.domain_name);
    }
    return true;
  });
}

function summaryOf(report: DnsReport): { isRight: boolean; isUnanswered: boolean } {
  return {
    isRight: report.is_reached && report.can_issue,
    isUnanswered: report.facts.some(({ status }) => status === 'unknown'),
  };
}

/** From now on the edge serves the hostname. */
async function prove(
  trx: Trx,
  afterCommit: AfterCommit,
  app: App,
  endpointId: string,
  hostname: string,
): Promise<void> {
  const now = app.clock.now();
  const { numUpdatedRows } = await trx
    .updateTable('cdn_endpoints')
    .set({ proven_at: now })
    .where('id', '=', endpointId)
    .where('proven_at', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return;
  await recordEdgeChange(trx, afterCommit, app.edgeChanges, { site_id: null, hostname }, now);
}
