import * as x509 from '@peculiar/x509';
import { DAY_MS, HOUR_MS } from '../durations.ts';
import { AuthorityError } from './authority.ts';

/** The root of an installation's own certificates. */
export interface LocalRoot {
  /** PEM. */
  certificate: string;
  /** PKCS #8 in base64. */
  privateKey: string;
}

const KEY_ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const ROOT_DAYS = 3650;
const LEAF_DAYS = 90;
/** A certificate is valid from slightly before its creation, because clocks of browsers differ. */
const BACKDATED_MS = HOUR_MS;

/** Returns a new root, valid for ten years. */
export async function makeRoot(productName: string, now: number): Promise<LocalRoot> {
  const keys = await crypto.subtle.generateKey(KEY_ALGORITHM, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: newSerialNumber(),
    name: [{ CN: [`${productName} local authority`] }],
    notBefore: new Date(now - BACKDATED_MS),
    notAfter: new Date(now + ROOT_DAYS * DAY_MS),
    signingAlgorithm: KEY_ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  const key = await crypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { certificate: certificate.toString('pem'), privateKey: Buffer.from(key).toString('base64') };
}

/** Returns a certificate (PEM) for the names and the key of the request. @throws AuthorityError refused */
export async function signLeaf(
  root: LocalRoot,
  domains: readonly string[],
  csr: string,
  now: number,
): Promise<string> {
  const issuer = new x509.X509Certificate(root.certificate);
  const pkcs8 = Buffer.from(root.privateKey, 'base64');
  const request = await readRequest(csr);
  const leaf = await x509.X509CertificateGenerator.create({
    serialNumber: newSerialNumber(),
    subject: '',
    issuer: issuer.subject,
    notBefore: new Date(now - BACKDATED_MS),
    notAfter: new Date(now + LEAF_DAYS * DAY_MS),
    signingAlgorithm: KEY_ALGORITHM,
    publicKey: request.publicKey,
    signingKey: await crypto.subtle.importKey('pkcs8', pkcs8, KEY_ALGORITHM, false, ['sign']),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        domains.map((value) => ({ type: 'dns' as const, value })),
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(request.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  });
  return `${leaf.toString('pem')}\n`;
}

/** @throws AuthorityError refused for anything that is not a request, or not signed by its own key */
async function readRequest(csr: string): Promise<x509.Pkcs10CertificateRequest> {
  try {
    const request = new x509.Pkcs10CertificateRequest(csr);
    if (await request.verify()) return request;
  } catch (error) {
    throw new AuthorityError('refused', 'The request cannot be read.', { cause: error });
  }
  throw new AuthorityError('refused', 'The request is not signed by its key.');
}

/** 16 random bytes in hexadecimal; the first is at most 127, so that the number is positive. */
function newSerialNumber(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return Buffer.from(bytes).toString('hex');
}
