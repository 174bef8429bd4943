/** A request to an authority that counts towards its limits. */
export interface CertificateAttemptsTable {
  id: string;
  authority: string;
  /** Null for the platform's own names. */
  organization_id: string | null;
  domain_name: string;
  /** The registered domain (public suffix and one label), which the limits are counted by. */
  registered_domain: string;
  outcome: 'ordered' | 'issued' | 'failed';
  is_renewal: number;
  at: number;
}
