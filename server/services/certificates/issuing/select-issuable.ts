import type { Selectable } from 'kysely';
import type { Executor } from '#db/client.ts';
import type { CertificateBundlesTable } from '#db/schema/certificate-bundles.ts';

const COLUMNS = [
  'id',
  'organization_id',
  'endpoint_id',
  'domain_name',
  'dns_challenge_id',
  'authority',
  'certificate',
  'issued_at',
  'valid_until',
  'renew_at',
  'renewal_info_at',
  'next_issue_at',
  'attempts',
  'failure_code',
  'failure_detail',
] as const;

/** What an issuance requires of a bundle. */
export type IssuableBundle = Pick<Selectable<CertificateBundlesTable>, (typeof COLUMNS)[number]>;

/** Returns a bundle of any organization, or of the platform, as an issuance needs it. */
export async function findIssuableBundle(
  executor: Executor,
  bundleId: string,
): Promise<IssuableBundle | null> {
  const row = await executor
    .selectFrom('certificate_bundles')
    .select(COLUMNS)
    .where('id', '=', bundleId)
    .executeTakeFirst();
  return row ?? null;
}
