import type { Generated } from 'kysely';

/** A hostname's certificate, the DNS facts it depends on, and when each is inspected next. */
export interface CertificateBundlesTable {
  id: string;
  /** Null for the platform's own names. */
  organization_id: string | null;
  endpoint_id: string | null;
  domain_name: string;
  /** The label below ACME_ZONE that the hostname's challenge record points at. */
  dns_challenge_id: string;
  /**
   * Since when the hostname has been found to reach us; null when the last conclusive inspection found
   * otherwise.
   */
  dns_validated_at: number | null;
  /**
   * Since when the challenge record has been found right; null when the last conclusive inspection found
   * otherwise.
   */
  dns_challenge_validated_at: number | null;
  /** JSON of the last report. */
  dns_report: string | null;
  /** When the last inspection began. */
  dns_checked_at: number | null;
  next_check_at: number;
  /** Since when a record that used to be right would prevent a renewal. */
  dns_problem_since: number | null;
  /** When the organization was last warned about it. */
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
  /** When it is due for renewal. */
  renew_at: number | null;
  /** When the authority is next asked for its renewal window; null when it does not provide one. */
  renewal_info_at: number | null;
  /** When the next attempt to issue or renew starts automatically; null while there is nothing to do. */
  next_issue_at: number | null;
  /** Failed attempts since the last success. */
  attempts: Generated<number>;
  failure_code: string | null;
  failure_detail: string | null;
  failed_at: number | null;
  created_at: number;
  updated_at: number;
}
