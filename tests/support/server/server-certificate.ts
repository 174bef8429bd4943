import { isIP } from 'node:net';
import * as x509 from '@peculiar/x509';
import { DAY_MS } from '#server/durations.ts';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/**
 * Returns a key and a self-signed certificate for a test server: trusting it means trusting only this server.
 */
export async function makeServerCertificate(
  names: readonly string[],
): Promise<{ certificate: string; privateKey: string }> {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  // Trust is resolved by name: two servers of one test must not share it.
  const mark = Buffer.from(crypto.getRandomValues(new Uint8Array(8))).toString('hex');
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: `01${mark}`,
    name: [{ CN: [`server of a test ${mark}`] }],
    notBefore: new Date(Date.now() - DAY_MS),
    notAfter: new Date(Date.now() + DAY_MS),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) ? ('ip' as const) : ('dns' as const), value })),
      ),
    ],
  });
  const key = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  const lines = key.match(/.{1,64}/g) ?? [];
  return {
    certificate: `${certificate.toString('pem')}\n`,
    privateKey: `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`,
  };
}
