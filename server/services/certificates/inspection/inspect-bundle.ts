import type { Executor } from '#db/client.ts';
import type { RequestContext } from '#server/context.ts';
import type { UnitOfWork } from '../../shared/unit-of-work.ts';
import type { DnsReport } from '../schema.ts';
import { type InspectedBundle, inspectDns } from './inspect-dns.ts';
import { recordInspection } from './record-inspection.ts';

/**
 * Inspects the records of a bundle now, stores what was found, and returns it; null when the bundle is gone.
 * The inspection itself holds no transaction.
 * @param also what to write in the transaction that stores the report
 */
export async function inspectBundle(
  context: RequestContext,
  bundleId: string,
  also?: (unit: UnitOfWork, report: DnsReport) => Promise<void>,
): Promise<DnsReport | null> {
  const { app } = context;
  const bundle = await findInspectedBundle(app.db, bundleId);
  if (!bundle) return null;
  const report = await inspectDns(app, bundle);
  await recordInspection(context, bundleId, report, async (unit) => also?.(unit, report));
  return report;
}

async function findInspectedBundle(executor: Executor, bundleId: string): Promise<InspectedBundle | null> {
  const row = await executor
    .selectFrom('certificate_bundles')
    .leftJoin('cdn_endpoints', 'cdn_endpoints.id', 'certificate_bundles.endpoint_id')
    .select([
      'certificate_bundles.domain_name',
      'certificate_bundles.dns_challenge_id',
      'certificate_bundles.dns_validated_at',
      'certificate_bundles.dns_challenge_validated_at',
      'certificate_bundles.valid_until',
      'cdn_endpoints.cname_target',
      'cdn_endpoints.proven_at',
    ])
    .where('certificate_bundles.id', '=', bundleId)
    .executeTakeFirst();
  return row ?? null;
}
