import { once } from 'node:events';
import { type ClientHttp2Session, constants } from 'node:http2';
import { describe, expect, test } from 'vitest';
import { seededRandom } from '#tests/support/seeded-random.ts';
import {
  addResponse,
  bodies,
  emptyTally,
  metered,
  openSession,
  startMeteredEdge,
} from './usage-bytes-fixture.ts';

interface Answer {
  readonly status: number;
  readonly bodyBytes: number;
}

/** Requests one response; its stream is reset when `limit` bytes of the body have arrived. */
async function askFor(
  session: ClientHttp2Session,
  path: string,
  headers: Record<string, string> = {},
  limit = Number.POSITIVE_INFINITY,
): Promise<Answer> {
  const stream = session.request({ ':path': path, ...headers });
  stream.on('error', () => {});
  const closed = once(stream, 'close');
  let bodyBytes = 0;
  stream.on('data', (chunk: Buffer) => {
    bodyBytes += chunk.length;
    if (bodyBytes >= limit) stream.close(constants.NGHTTP2_CANCEL);
  });
  stream.end();
  const [response] = await once(stream, 'response');
  await closed;
  return { status: Number(response[':status']), bodyBytes };
}

const targets: [string, Record<string, string>?][] = [
  ...Object.keys(bodies).map((name): [string] => [name === 'index.html' ? '/' : `/${name}`]),
  ['/', { 'accept-encoding': 'br' }],
  ['/app.css', { 'accept-encoding': 'gzip' }],
  ['/app.css', { 'if-none-match': '*' }],
  ['/film.mp4', { range: 'bytes=1000000-1999999' }],
  ['/film.mp4', { range: 'bytes=99999999-' }],
  ['/film.mp4', { ':method': 'HEAD' }],
  ['/', { ':method': 'POST' }],
  ['/old'],
  ['/nowhere/at/all'],
];

/** No head and no frame other than DATA takes more; and every 16 KiB of DATA take 9 bytes. */
const frameBytesMax = 700;
const framesOf = (responses: number, data: number): number => responses * frameBytesMax + (data / 16_384) * 9;

describe('an HTTP/2 connection costs its host exactly what was sent over it', () => {
  test('for any requests, simultaneous, repeated, and reset in the middle', async () => {
    const { ports, securePort, edge } = await startMeteredEdge();
    const { session, socket } = await openSession(securePort, 'site.test');
    const random = seededRandom(7);
    const tally = emptyTally();
    for (let round = 0; round < 15; round += 1) {
      await Promise.all(
        Array.from({ length: 1 + random.below(12) }, async () => {
          const [path, headers] = targets[random.below(targets.length)] ?? ['/'];
          const limit = random.below(5) === 0 ? 1 + random.below(300_000) : undefined;
          const { status } = await askFor(session, path, headers, limit);
          addResponse(tally, { status, isCacheHit: false, isRefused: false, bytes: 0 });
        }),
      );
    }
    await edge.close();
    const { requests, classes, bytes } = metered(ports, 'site.test');
    expect({ requests, classes }).toEqual({ requests: tally.requests, classes: tally.classes });
    expect(bytes).toBe(socket.bytesRead);
  });

  test('and heads and frames are reported while it is open', async () => {
    const { ports, securePort } = await startMeteredEdge();
    const { session, socket } = await openSession(securePort, 'site.test');
    const { bodyBytes } = await askFor(session, '/poster.png');
    expect(socket.bytesRead).toBeGreaterThan(bodyBytes);
    await expect.poll(() => metered(ports, 'site.test').bytes, { timeout: 5_000 }).toBe(socket.bytesRead);
    session.destroy();
  });

  test('and a long response is reported in progress', async () => {
    const { ports, securePort } = await startMeteredEdge();
    const { session } = await openSession(securePort, 'site.test');
    const stream = session.request({ ':path': '/film.mp4' });
    stream.on('error', () => {});
    let received = 0;
    stream.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > 1_500_000) stream.pause();
    });
    await expect.poll(() => stream.isPaused()).toBe(true);
    await expect.poll(() => metered(ports, 'site.test').bytes).toBeGreaterThan(1_000_000);
    expect(metered(ports, 'site.test').bytes).toBeLessThan(bodies['film.mp4'].length);
    session.destroy();
  });

  test('even when the client disconnects in the middle: what arrived, and no more than its windows and buffers held', async () => {
    const { ports, securePort, edge } = await startMeteredEdge();
    const { session, socket } = await openSession(securePort, 'site.test');
    await askFor(session, '/small.txt');
    const stream = session.request({ ':path': '/film.mp4' });
    stream.on('error', () => {});
    stream.pause();
    await once(stream, 'response');
    // The stream's window: 65,535 bytes of DATA arrive and are not read.
    const full = async () => socket.bytesRead;
    await expect.poll(full).toBeGreaterThan(65_535);
    socket.destroy();
    await edge.close();
    await expect.poll(() => metered(ports, 'site.test').bytes).toBeGreaterThanOrEqual(socket.bytesRead);
    expect(metered(ports, 'site.test').bytes).toBeLessThan(65_535 + framesOf(3, 65_535));
  });

  test('and nothing is counted for a stream that is gone before its response', async () => {
    const { ports, securePort, edge } = await startMeteredEdge();
    const { session } = await openSession(securePort, 'site.test');
    await askFor(session, '/small.txt');
    ports.records.length = 0;
    const look = Promise.withResolvers<void>();
    const { findReplacedVersions } = ports;
    ports.findReplacedVersions = async (siteId) => {
      await look.promise;
      return findReplacedVersions.call(ports, siteId);
    };
    const stream = session.request({ ':path': '/app-3f9a1c2b.js' });
    stream.on('error', () => {});
    stream.end();
    await askFor(session, '/small.txt');
    stream.close(constants.NGHTTP2_CANCEL);
    await once(stream, 'close');
    await askFor(session, '/small.txt');
    look.resolve();
    await askFor(session, '/nowhere-3f9a1c2b.js');
    await edge.close();
    expect(metered(ports, 'site.test')).toMatchObject({ requests: 3, classes: { '2xx': 2, '4xx': 1 } });
  });
});

describe('a connection that several organizations share', () => {
  const hosts = ['one.sites.test', 'two.sites.test'] as const;

  test('costs them together exactly what was sent over it, and each its own DATA', async () => {
    const { ports, securePort, edge } = await startMeteredEdge();
    const { session, socket } = await openSession(securePort, 'one.sites.test');
    const random = seededRandom(11);
    const data = { 'one.sites.test': 0, 'two.sites.test': 0 };
    const responses = { ...data };
    for (let round = 0; round < 15; round += 1) {
      await Promise.all(
        Array.from({ length: 1 + random.below(12) }, async () => {
          const hostname = hosts[random.below(2)] ?? 'one.sites.test';
          const [path, headers] = targets[random.below(targets.length)] ?? ['/'];
          const { bodyBytes } = await askFor(session, path, { ...headers, ':authority': hostname });
          data[hostname] += bodyBytes;
          responses[hostname] += 1;
        }),
      );
    }
    await edge.close();
    const [one, two] = hosts.map((hostname) => metered(ports, hostname));
    expect((one?.bytes ?? 0) + (two?.bytes ?? 0)).toBe(socket.bytesRead);
    expect([one?.requests, two?.requests]).toEqual(Object.values(responses));
    const frames = framesOf(responses['one.sites.test'] + responses['two.sites.test'], socket.bytesRead);
    for (const hostname of hosts) {
      const { bytes } = metered(ports, hostname);
      expect(bytes).toBeGreaterThanOrEqual(data[hostname]);
      expect(bytes).toBeLessThanOrEqual(data[hostname] + frames);
    }
  });

  test('charges no one for the DATA of another’s broken stream', async () => {
    const { ports, securePort, edge } = await startMeteredEdge();
    const { session, socket } = await openSession(securePort, 'one.sites.test');
    const own = { ':authority': 'two.sites.test' };
    await askFor(session, '/small.txt', own);
    let received = 0;
    for (let round = 0; round < 12; round += 1) {
      const film = askFor(session, '/film.mp4', { ':authority': 'one.sites.test' }, 50_000 + round * 20_000);
      for (let count = 0; count < 5; count += 1) await askFor(session, '/small.txt', own);
      received += (await film).bodyBytes;
    }
    await edge.close();
    const [one, two] = hosts.map((hostname) => metered(ports, hostname).bytes);
    expect((one ?? 0) + (two ?? 0)).toBe(socket.bytesRead);
    expect(one).toBeGreaterThan(received);
    expect(two).toBeGreaterThan(61 * 5);
    expect(two).toBeLessThan(framesOf(61 + 12, socket.bytesRead));
  });

  test('is counted separately for a stopped host, and for an unknown one', async () => {
    const { ports, securePort, edge } = await startMeteredEdge();
    const { session, socket } = await openSession(securePort, 'one.sites.test');
    for (const [hostname, status] of [
      ['stopped.sites.test', 503],
      ['nobody.sites.test', 404],
      ['one.sites.test', 200],
    ] as const) {
      expect((await askFor(session, '/film.mp4', { ':authority': hostname })).status).toBe(status);
    }
    await edge.close();
    const stopped = metered(ports, 'stopped.sites.test');
    expect(stopped).toMatchObject({ requests: 0, bytes: 0, refused: 1 });
    expect(stopped.refusedBytes).toBeGreaterThan(1_000);
    const one = metered(ports, 'one.sites.test');
    expect(one).toMatchObject({ requests: 1, refused: 0, refusedBytes: 0 });
    expect(ports.records).toHaveLength(2);
    const nobody = socket.bytesRead - one.bytes - stopped.refusedBytes;
    expect(nobody).toBeGreaterThan(1_000);
    expect(nobody).toBeLessThan(5_000);
  });
});
