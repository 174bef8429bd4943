/**
 * A bundle's open order at an authority; stored before anything is proven, so that it resumes after a crash.
 */
export interface CertificateOrdersTable {
  bundle_id: string;
  authority: string;
  order_url: string;
  /** PEM of the new private key, sealed for the bundle. */
  key_sealed: string;
  step: 'order' | 'publish' | 'challenge' | 'finalize' | 'download';
  started_at: number;
  updated_at: number;
}
