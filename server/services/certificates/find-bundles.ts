import type { Executor } from '#db/client.ts';
import type { BundleRow } from './to-bundle.ts';

const COLUMNS = [
  'certificate_bundles.id',
  'certificate_bundles.organization_id',
  'certificate_bundles.endpoint_id',
  'certificate_bundles.domain_name',
  'certificate_bundles.dns_challenge_id',
  'certificate_bundles.dns_validated_at',
  'certificate_bundles.dns_challenge_validated_at',
  'certificate_bundles.dns_checked_at',
  'certificate_bundles.next_check_at',
  'certificate_bundles.dns_problem_since',
  'certificate_bundles.warned_at',
  'certificate_bundles.authority',
  'certificate_bundles.serial_number',
  'certificate_bundles.issued_at',
  'certificate_bundles.valid_from',
  'certificate_bundles.valid_until',
  'certificate_bundles.renew_at',
  'certificate_bundles.renewal_info_at',
  'certificate_bundles.next_issue_at',
  'certificate_bundles.attempts',
  'certificate_bundles.failure_code',
  'certificate_bundles.failure_detail',
  'certificate_bundles.failed_at',
  'certificate_bundles.created_at',
  'certificate_bundles.updated_at',
] as const;

/** Starts a read of bundles with the step of their open order, without certificates and keys. */
export function selectBundles(executor: Executor) {
  return executor
    .selectFrom('certificate_bundles')
    .leftJoin('certificate_orders', (join) =>
      join
        .onRef('certificate_orders.bundle_id', '=', 'certificate_bundles.id')
        // An order that waits for its next attempt is not in progress.
        .on((eb) =>
          eb.or([
            eb('certificate_bundles.failed_at', 'is', null),
            eb('certificate_orders.updated_at', '>', eb.ref('certificate_bundles.failed_at')),
          ]),
        ),
    )
    .select(COLUMNS)
    .select('certificate_orders.step');
}

/** Returns the bundle of each endpoint that has one, by endpoint id. */
export async function findBundlesOfEndpoints(
  executor: Executor,
  endpointIds: readonly string[],
): Promise<Map<string, BundleRow>> {
  if (endpointIds.length === 0) return new Map();
  const rows = await selectBundles(executor)
    .where('certificate_bundles.endpoint_id', 'in', endpointIds)
    .execute();
  return new Map(rows.map((row) => [row.endpoint_id ?? '', row]));
}
