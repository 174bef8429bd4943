import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { ConfigError } from '../config/config.ts';
import type { App } from '../context.ts';
import type { CertificateAuthority } from './authority.ts';

/**
 * Returns the issuer of certificates: the configured ACME server, otherwise this installation itself. The
 * server is not contacted here.
 * @throws ConfigError when ACME_CA_FILE contains no certificate
 */
export async function openAuthority(
  parts: Pick<App, 'config' | 'db' | 'sealer' | 'clock' | 'logger' | 'outgoing'>,
): Promise<CertificateAuthority> {
  const { acme, productName } = parts.config;
  // Each of them has its own libraries, which every process would keep in memory.
  if (!acme) {
    const { openLocalAuthority } = await import('./local-authority.ts');
    return openLocalAuthority({ ...parts, productName });
  }
  const { createAcmeAuthority } = await import('./acme-authority.ts');
  const extraRoots = acme.caFile === null ? null : await readRoots(acme.caFile);
  return createAcmeAuthority({ ...parts, settings: acme, extraRoots });
}

async function readRoots(path: string): Promise<string> {
  try {
    const pem = await readFile(path, 'utf8');
    new X509Certificate(pem);
    return pem;
  } catch {
    throw new ConfigError('ACME_CA_FILE cannot be used: it must be a PEM file of certificates.');
  }
}
