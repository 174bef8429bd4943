import type { Generated } from 'kysely';

/** A hostname's certificate, the DNS facts it rests on, and when each is looked at next. */
export interface CertificateBundlesTable {
  id: string;
  /** Null for the platform's own names. */
  organization_id: string | null;
  endpoint_id: string | null;
  domain_name: string;
  /** The label below ACME_ZONE that the hostname's challenge record points at. */
  dns_challenge_id: string;
  /** Since when the hostname is found to reach us; null when the last look that got an answer found otherwise. */
  dns_validated_at: number | null;
  /** Since when the challenge record is found right; null when the last look that got an answer found otherwise. */
  dns_challenge_validated_at: number | null;
  /** JSON of the last report. */
  dns_report: string | null;
  /** When the last look began. */
  dns_checked_at: number | null;
  next_check_at: number;
  /** Since when a record that was right would stop a renewal. */
  dns_problem_since: number | null;
  /** When the organization was last written to about it. */
  warned_at: number | null;
  /** Who issued the certificate (CertificateAuthority.name). */
  authority: string | null;
  /** PEM chain, leaf first. */
  certificate: string | null;
  private_key_sealed: string | null;
  serial_number: string | null;
  issued_at: number | null;
  valid_from: number | null;
  valid_until: number | null;
  /** When it is to be renewed. */
  renew_at: number | null;
  /** When the authority is asked again for its renewal window; null where it has no opinion. */
  renewal_info_at: number | null;
  /** When the next attempt to issue or renew begins by itself; null while nothing is to be done. */
  next_issue_at: number | null;
  /** Failed attempts since the last success. */
  attempts: Generated<number>;
  failure_code: string | null;
  failure_detail: string | null;
  failed_at: number | null;
  created_at: number;
  updated_at: number;
}
