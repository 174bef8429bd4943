import { randomUUID, X509Certificate } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { LRUCache } from 'lru-cache';
import type { Db } from '#db/client.ts';
import type { Clock } from '../clock.ts';
import type { Sealer } from '../secrets/sealer.ts';
import { AuthorityError, type CertificateAuthority } from './authority.ts';

/** What the local authority adds: its root, to be trusted on one's own machine. */
export interface LocalAuthority extends CertificateAuthority {
  /** PEM of the root certificate. */
  readonly rootCertificate: string;
}

/** Whether certificates come from this installation itself. */
export function isLocalAuthority(authority: CertificateAuthority): authority is LocalAuthority {
  return 'rootCertificate' in authority;
}

const VALUE_NAME = 'local-authority';
const KEY_ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;
const ROOT_DAYS = 3650;
const LEAF_DAYS = 90;
/** A certificate is valid from slightly before its creation, because clocks of browsers differ. */
const BACKDATED_MS = 3_600_000;
const ORDERS_MAX = 1000;

/**
 * Returns the certificate authority of this installation, for machines without a public name. Its root is
 * created once for all nodes, and its key is sealed in the database. Orders are kept in memory: after a
 * restart they are `gone` and created anew.
 */
export async function openLocalAuthority(parts: {
  db: Db;
  sealer: Sealer;
  clock: Clock;
  productName: string;
}): Promise<LocalAuthority> {
  const { clock } = parts;
  const root = await readRoot(parts);
  const orders = new LRUCache<string, { domains: readonly string[]; chain: string | null }>({
    max: ORDERS_MAX,
  });
  const find = (orderUrl: string) => {
    const order = orders.get(orderUrl);
    if (order === undefined) throw new AuthorityError('gone', 'The order is no longer known.');
    return order;
  };
  return {
    name: 'local',
    title: 'local',
    needsProof: false,
    rootCertificate: root.certificate.toString('pem'),
    caaIdentities: async () => [],
    async openOrder(domains) {
      const orderUrl = `local:${randomUUID()}`;
      orders.set(orderUrl, { domains, chain: null });
      return orderUrl;
    },
    async readOrder(orderUrl) {
      const { chain } = find(orderUrl);
      return { status: chain === null ? 'ready' : 'valid', txtValues: [], problem: null, isUnseen: false };
    },
    async answerChallenges(orderUrl) {
      find(orderUrl);
    },
    async finalize(orderUrl, csr) {
      const order = find(orderUrl);
      orders.set(orderUrl, { ...order, chain: await signLeaf(root, order.domains, csr, clock.now()) });
    },
    async download(orderUrl) {
      const { chain } = find(orderUrl);
      if (chain === null) throw new AuthorityError('refused', 'The order is not finalized.');
      return chain;
    },
    async findRenewalWindow(certificate) {
      const { validFrom, validTo } = new X509Certificate(certificate);
      const end = Date.parse(validTo);
      const third = (end - Date.parse(validFrom)) / 3;
      return { start: end - third, end: end - third + DAY_MS, askAgainAt: clock.now() + DAY_MS };
    },
  };
}

interface Root {
  certificate: x509.X509Certificate;
  privateKey: CryptoKey;
}

async function readRoot(parts: { db: Db; sealer: Sealer; clock: Clock; productName: string }): Promise<Root> {
  const { db, sealer, clock } = parts;
  const stored = () =>
    db.selectFrom('installation_values').select('value').where('name', '=', VALUE_NAME).executeTakeFirst();
  if (!(await stored())) {
    const made = await makeRoot(parts.productName, clock.now());
    // Two nodes that start at the same time agree on the root that was written first.
    await db
      .insertInto('installation_values')
      .values({
        name: VALUE_NAME,
        value: sealer.seal(JSON.stringify(made), VALUE_NAME),
        created_at: clock.now(),
      })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute();
  }
  const row = await stored();
  const { certificate, privateKey }: { certificate: string; privateKey: string } = JSON.parse(
    sealer.open(row?.value ?? '', VALUE_NAME),
  );
  return {
    certificate: new x509.X509Certificate(certificate),
    privateKey: await crypto.subtle.importKey(
      'pkcs8',
      Buffer.from(privateKey, 'base64'),
      KEY_ALGORITHM,
      false,
      ['sign'],
    ),
  };
}

async function makeRoot(productName: string, now: number) {
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

async function signLeaf(root: Root, domains: readonly string[], csr: string, now: number): Promise<string> {
  const request = await readRequest(csr);
  const leaf = await x509.X509CertificateGenerator.create({
    serialNumber: newSerialNumber(),
    subject: '',
    issuer: root.certificate.subject,
    notBefore: new Date(now - BACKDATED_MS),
    notAfter: new Date(now + LEAF_DAYS * DAY_MS),
    signingAlgorithm: KEY_ALGORITHM,
    publicKey: request.publicKey,
    signingKey: root.privateKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        domains.map((value) => ({ type: 'dns' as const, value })),
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(request.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(root.certificate.publicKey),
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
