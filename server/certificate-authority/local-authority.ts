import { randomUUID, X509Certificate } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Db } from '#db/client.ts';
import type { Clock } from '../clock.ts';
import { DAY_MS } from '../durations.ts';
import type { Sealer } from '../secrets/sealer.ts';
import { AuthorityError, type CertificateAuthority } from './authority.ts';
import type { LocalRoot } from './sign-locally.ts';

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
const ORDERS_MAX = 1000;

/** Loads the library of certificates, which is large, only to sign: most processes never do. */
const loadSigning = () => import('./sign-locally.ts');

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
    rootCertificate: root.certificate,
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
      const { signLeaf } = await loadSigning();
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

async function readRoot(parts: {
  db: Db;
  sealer: Sealer;
  clock: Clock;
  productName: string;
}): Promise<LocalRoot> {
  const { db, sealer, clock } = parts;
  const stored = () =>
    db.selectFrom('installation_values').select('value').where('name', '=', VALUE_NAME).executeTakeFirst();
  if (!(await stored())) {
    const { makeRoot } = await loadSigning();
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
  const root: LocalRoot = JSON.parse(sealer.open(row?.value ?? '', VALUE_NAME));
  return root;
}
