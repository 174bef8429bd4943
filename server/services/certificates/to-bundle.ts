import type { Selectable } from 'kysely';
import { getDomain } from 'tldts';
import type { CertificateBundlesTable } from '#db/schema/certificate-bundles.ts';
import type { App } from '#server/context.ts';
import { toInstant } from '../shared/schema.ts';
import { CERTIFICATE_PROBLEMS, challengeName, type IssueStep, isLocalName } from './rules.ts';
import type { Bundle } from './schema.ts';

/** What clients see of a bundle's row and of its open order. */
export type BundleRow = Omit<
  Selectable<CertificateBundlesTable>,
  'dns_report' | 'certificate' | 'private_key_sealed'
> & { step: IssueStep | null };

/** Returns the row as it goes over the wire. */
export function toBundle(app: App, row: BundleRow): Bundle {
  const code = CERTIFICATE_PROBLEMS.find((problem) => problem === row.failure_code);
  return {
    id: row.id,
    domain_name: row.domain_name,
    registered_domain: isLocalName(row.domain_name) ? null : getDomain(row.domain_name),
    dns_challenge_id: row.dns_challenge_id,
    challenge_name: challengeName(row.domain_name),
    challenge_target: `${row.dns_challenge_id}.${app.config.acmeZone}`,
    dns_validated: row.dns_validated_at !== null,
    dns_challenge_validated: row.dns_challenge_validated_at !== null,
    checked_at: toInstant(row.dns_checked_at),
    issued_at: toInstant(row.issued_at),
    valid_until: toInstant(row.valid_until),
    authority: authorityTitle(app, row.authority),
    step: row.step,
    problem:
      code && row.failed_at !== null
        ? { code, detail: row.failure_detail, at: toInstant(row.failed_at) }
        : null,
    attempts: row.attempts,
    next_attempt_at: toInstant(row.next_issue_at),
    renew_at: toInstant(row.renew_at),
  };
}

/** The name shown for the issuer of a certificate: an ACME server's host, without the account. */
export function authorityTitle({ authority }: App, name: string | null): string {
  if (name === null || name === authority.name) return authority.title;

  return URL.canParse(name) && new URL(name).host !== '' ? new URL(name).host : name;
}
