import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { seededRandom } from '#tests/support/seeded-random.ts';
import { MemoryPorts } from '../edge/edge-fixture.ts';
import {
  createTestAuthority,
  openTls,
  type SecureTestEdge,
  startSecureEdge,
  type TestAuthority,
} from '../edge/edge-secure-fixture.ts';

/** What a host's meters were told, or what its visitors have observed. */
export interface Tally {
  requests: number;
  hits: number;
  bytes: number;
  refused: number;
  refusedBytes: number;
  /** Requests by status class: `2xx` and so on. */
  classes: Record<string, number>;
}

export function emptyTally(): Tally {
  return { requests: 0, hits: 0, bytes: 0, refused: 0, refusedBytes: 0, classes: {} };
}

/** Adds a response to a tally. */
export function addResponse(
  tally: Tally,
  response: { status: number; isCacheHit: boolean; isRefused: boolean; bytes: number },
): void {
  if (response.isRefused) {
    tally.refused += 1;
    tally.refusedBytes += response.bytes;
    return;
  }
  const name = `${Math.floor(response.status / 100)}xx`;
  tally.requests += 1;
  tally.hits += response.isCacheHit ? 1 : 0;
  tally.bytes += response.bytes;
  tally.classes[name] = (tally.classes[name] ?? 0) + 1;
}

/** What the meters of a host have been told so far. */
export function metered(ports: MemoryPorts, hostname: string): Tally {
  const tally = emptyTally();
  for (const record of ports.records) if (record.hostname === hostname) addResponse(tally, record);
  return tally;
}

const random = seededRandom(20_261_121);

/**
 * Files of every size that is sent in a different way: from one buffer, from two, in pieces, from the blob.
 */
export const bodies = {
  'index.html': Buffer.from(`<!doctype html><title>Home</title>${'<p>Bonjour, le monde.</p>'.repeat(200)}`),
  'app.css': Buffer.from('body { color: #123456; }\n'.repeat(8_000)),
  'small.txt': Buffer.from('small'),
  'empty.txt': Buffer.alloc(0),
  'page.png': random.bytes(20_000),
  'middle.png': random.bytes(90_000),
  'poster.png': random.bytes(700_000),
  'film.mp4': Buffer.concat(Array.from({ length: 8 }, () => random.bytes(512 * 1024))),
} as const;

const more = {
  '404.html': '<p>Lost</p>',
  _redirects: '/old / 302\n/away/* https://example.org/:splat 308\n',
};

let authority: TestAuthority | null = null;

/** An edge with four hosts of four organizations, two of which share a certificate, and a stopped one. */
export async function startMeteredEdge(
  limits: NonNullable<Parameters<typeof startSecureEdge>[1]>['limits'] = {},
): Promise<SecureTestEdge & { ports: MemoryPorts }> {
  const ports = new MemoryPorts();
  ports.addVersion('v1', { ...bodies, ...more });
  for (const hostname of ['site.test', 'one.sites.test', 'two.sites.test']) ports.point(hostname, 'v1');
  ports.point('stopped.sites.test', 'v1', { isSuspended: true });
  authority ??= await createTestAuthority();
  ports.certificates.set('site.test', await authority.issue(['site.test']));
  ports.certificates.set('*.sites.test', await authority.issue(['*.sites.test']));
  return { ports, ...(await startSecureEdge(ports, { limits })) };
}

/** Opens an HTTP/2 connection, and the socket below it: its `bytesRead` are the decrypted bytes. */
export async function openSession(
  port: number,
  servername: string,
): Promise<{ session: ClientHttp2Session; socket: TLSSocket }> {
  const socket = await openTls(port, { servername, ALPNProtocols: ['h2'] });
  const session = connectHttp2(`https://${servername}`, { createConnection: () => socket });
  session.on('error', () => {});
  return { session, socket };
}
