import { randomBytes } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import type { EdgeCertificate } from '../ports.ts';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;
const LIFETIME_DAYS = 365;

/**
 * Creates an untrusted certificate in memory for these names: shown to clients without a server name, or with
 * one that has no certificate, until there is a better one.
 */
export async function makeFallbackCertificate(
  names: readonly string[],
  now = Date.now(),
): Promise<EdgeCertificate> {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: `40${randomBytes(15).toString('hex')}`,
    name: [{ CN: ['No certificate'] }],
    notBefore: new Date(now - DAY_MS),
    notAfter: new Date(now + LIFETIME_DAYS * DAY_MS),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns' as const, value }))),
    ],
  });
  const key = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey));
  const privateKey = `-----BEGIN PRIVATE KEY-----\n${key.toString('base64')}\n-----END PRIVATE KEY-----\n`;
  return { id: `fallback ${certificate.serialNumber}`, chain: certificate.toString('pem'), privateKey };
}
