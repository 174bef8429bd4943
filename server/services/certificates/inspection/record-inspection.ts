import { isPostgres, type Trx } from '#db/client.ts';
import type { RequestContext } from '#server/context.ts';
import { inUnitOfWork, type UnitOfWork } from '../../shared/unit-of-work.ts';
import type { DnsReport } from '../schema.ts';
import { changesOfInspection } from './inspection-rules.ts';
import { nextInspectionAt } from './schedule-rules.ts';

const CLOCKS_DIFFER_MS = 60_000;
const KNOWN = [
  'endpoint_id',
  'dns_validated_at',
  'dns_challenge_validated_at',
  'dns_problem_since',
  'issued_at',
  'valid_until',
  'renew_at',
  'next_issue_at',
  'failure_code',
  'created_at',
] as const;

/**
 * Stores what an inspection of a bundle's records has found, and its consequences: since when they are
 * correct, that control is proven, that a certificate can be issued now. An inspection that began before the
 * last stored one changes nothing. Returns whether it was stored.
 * @param also what to write in the same transaction, e.g. who requested the inspection
 */
export async function recordInspection(
  context: RequestContext,
  bundleId: string,
  report: DnsReport,
  also?: (unit: UnitOfWork) => Promise<void>,
): Promise<boolean> {
  const startedAt = Date.parse(report.checked_at);
  return inUnitOfWork(context, async (unit) => {
    const { trx, now, tellEdges } = unit;
    // The endpoint is locked before its bundle, as in its removal: otherwise the two could deadlock.
    const provenHostname = report.is_proven ? await prove(trx, bundleId, now) : null;
    if (provenHostname === null) await holdEndpoint(trx, bundleId);
    // This is the first write to the bundle, so that two nodes decide one after the other, each on the
    // other's result.
    const row = await trx
      .updateTable('certificate_bundles')
      .set({ dns_checked_at: startedAt, dns_report: JSON.stringify(report) })
      .where('id', '=', bundleId)
      .where((eb) =>
        eb.or([
          eb('dns_checked_at', 'is', null),
          eb('dns_checked_at', '<=', startedAt),
          // Written while a clock was wrong: it would forbid every inspection until then.
          eb('dns_checked_at', '>', now + CLOCKS_DIFFER_MS),
        ]),
      )
      .returning(KNOWN)
      .executeTakeFirst();
    if (row) {
      const changes = changesOfInspection(row, report, now);
      const next = nextInspectionAt({ ...row, ...changes, ...summaryOf(report) }, now, Math.random());
      await trx
        .updateTable('certificate_bundles')
        .set({ ...changes, next_check_at: next })
        .where('id', '=', bundleId)
        .execute();
    }
    if (also && (row || (await isThere(trx, bundleId)))) await also(unit);
    if (provenHostname !== null) tellEdges({ site_id: null, hostname: provenHostname });
    return row !== undefined;
  });
}

function summaryOf(report: DnsReport): { isRight: boolean; isUnanswered: boolean } {
  return {
    isRight: report.is_reached && report.can_issue,
    isUnanswered: report.facts.some(({ status }) => status === 'unknown'),
  };
}

/** From now on the edge serves the hostname, which is returned; null when it already did. */
async function prove(trx: Trx, bundleId: string, now: number): Promise<string | null> {
  const row = await trx
    .updateTable('cdn_endpoints')
    .set({ proven_at: now })
    .where('id', '=', (eb) =>
      eb.selectFrom('certificate_bundles').select('endpoint_id').where('id', '=', bundleId),
    )
    .where('proven_at', 'is', null)
    .returning('hostname')
    .executeTakeFirst();
  return row?.hostname ?? null;
}

/**
 * PostgreSQL checks the parent of a row that is written twice: until the transaction ends, the endpoint
 * cannot be removed.
 */
async function holdEndpoint(trx: Trx, bundleId: string): Promise<void> {
  if (!isPostgres(trx)) return;
  await trx
    .selectFrom('cdn_endpoints')
    .select('id')
    .where('id', '=', (eb) =>
      eb.selectFrom('certificate_bundles').select('endpoint_id').where('id', '=', bundleId),
    )
    .forKeyShare()
    .execute();
}

async function isThere(trx: Trx, bundleId: string): Promise<boolean> {
  const row = await trx
    .selectFrom('certificate_bundles')
    .select('id')
    .where('id', '=', bundleId)
    .executeTakeFirst();
  return row !== undefined;
}
