/** The installation's account at an ACME server. */
export interface AcmeAccountsTable {
  /** CertificateAuthority.name. */
  authority: string;
  /** Null until the server has responded. */
  account_url: string | null;
  key_sealed: string;
  created_at: number;
}
