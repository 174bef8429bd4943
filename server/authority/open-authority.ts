import type { App } from '../context.ts';
import type { CertificateAuthority } from './authority.ts';
import { openLocalAuthority } from './local-authority.ts';

/** Returns who issues certificates: the ACME server that is set, else this installation itself. */
export async function openAuthority(
  parts: Pick<App, 'config' | 'db' | 'sealer' | 'clock' | 'logger'>,
): Promise<CertificateAuthority> {
  return openLocalAuthority({ ...parts, productName: parts.config.productName });
}
