import { createPublicKey } from 'node:crypto';

/** Loads the library of certificates (two hundred modules) for the first order. */
const loadX509 = () => import('@peculiar/x509');

const KEY_ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** Returns a new private key (ECDSA P-256) as PEM: every certificate has its own. */
export async function makeOrderKey(): Promise<string> {
  const { PemConverter } = await loadX509();
  const keys = await crypto.subtle.generateKey(KEY_ALGORITHM, true, ['sign', 'verify']);
  return PemConverter.encode(await crypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
}

/** Returns the signing request (PEM) of the key's owner for the name. */
export async function makeCertificateRequest(privateKey: string, domainName: string): Promise<string> {
  const x509 = await loadX509();
  const [pkcs8] = x509.PemConverter.decode(privateKey);
  if (pkcs8 === undefined) throw new Error('the order has no key');
  const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: '',
    keys: {
      privateKey: await crypto.subtle.importKey('pkcs8', pkcs8, KEY_ALGORITHM, false, ['sign']),
      publicKey: await crypto.subtle.importKey('spki', spki, KEY_ALGORITHM, true, ['verify']),
    },
    signingAlgorithm: KEY_ALGORITHM,
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: domainName }])],
  });
  return `${request.toString('pem')}\n`;
}
