import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { DEFAULT_EDGE_LIMITS } from '#server/edge/edge-limits.ts';
import { seededRandom } from '#tests/support/seeded-random.ts';
import { ask, RawConnection, requestText } from '../edge/edge-client.ts';
import { openTls } from '../edge/edge-secure-fixture.ts';
import { bodies, metered, startMeteredEdge } from './usage-bytes-fixture.ts';

type MeteredEdge = Awaited<ReturnType<typeof startMeteredEdge>>;

async function start(limits: Parameters<typeof startMeteredEdge>[0] = {}): Promise<MeteredEdge> {
  const running = await startMeteredEdge(limits);
  // From here on, everything but the film comes from memory.
  for (let count = 0; count < 2; count += 1) {
    for (const target of ['/small.txt', '/page.png', '/middle.png', '/poster.png'])
      await ask(running.port, target);
  }
  await expect.poll(() => running.ports.records.length).toBe(8);
  running.ports.records.length = 0;
  return running;
}

interface Way {
  readonly isSecure: boolean;
  readonly headers: Record<string, string>;
}

const ways: [string, Way][] = [
  ['the fast path', { isSecure: false, headers: {} }],
  ['the fast path over TLS', { isSecure: true, headers: {} }],
  ['node’s HTTP server', { isSecure: false, headers: { Connection: 'keep-alive, x' } }],
  ['node’s HTTP server over TLS', { isSecure: true, headers: { Connection: 'keep-alive, x' } }],
];

/** A connection that is not read yet, and the edge's end of it. */
async function openPaused(edge: MeteredEdge, { isSecure }: Way): Promise<[RawConnection, Socket]> {
  const server: Server | null = isSecure ? edge.edge.secureServer : edge.edge.server;
  if (server === null) throw new Error('the edge has no https port');
  const accepted = once(server, isSecure ? 'secureConnection' : 'connection');
  const servername = 'site.test';
  const connection = new RawConnection(isSecure ? await openTls(edge.securePort, { servername }) : edge.port);
  connection.socket.pause();
  const [serverSide] = (await accepted) as [Socket];
  return [connection, serverSide];
}

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', () => resolve());
  });
}

/**
 * What may be counted without being sent: the write in progress. It is a piece of a body with its head, what
 * follows the first piece of one in memory, or as many small responses as one connection may have waiting and
 * the one that filled it up.
 */
const underWayMax = (bodyBytes: number) =>
  64 * 1024 + Math.max(128 * 1024, bodyBytes > DEFAULT_EDGE_LIMITS.cachedFileBytesMax ? 0 : bodyBytes);

describe.each(ways)('over %s', (_, way) => {
  test.each([
    ['/film.mp4', 6],
    ['/poster.png', 30],
    ['/middle.png', 200],
    ['/page.png', 600],
  ])(
    'a client that accepts %s %i times too slowly is counted for what it was sent',
    async (target, times) => {
      const edge = await start({ stallMs: 100 });
      const [connection, serverSide] = await openPaused(edge, way);
      const asked = requestText(target, way.headers);
      connection.send(asked.repeat(times));
      await closed(serverSide);
      // What the system's buffers hold of the cut connection still arrives.
      connection.socket.resume();
      await connection.closed();
      const received = connection.socket.bytesRead;
      const { requests, bytes } = metered(edge.ports, 'site.test');
      const { length } = bodies[target.slice(1) as keyof typeof bodies];
      expect(bytes).toBe(serverSide.bytesWritten);
      expect(bytes).toBeGreaterThanOrEqual(received);
      expect(bytes).toBeLessThanOrEqual(received + underWayMax(length));
      // Every response that has begun is a request.
      const each = length + 200;
      expect(requests).toBeGreaterThanOrEqual(Math.ceil(received / (each + 400)));
      expect(requests).toBeLessThanOrEqual(Math.ceil(bytes / each));
    },
  );

  test('clients that disconnect at any moment are counted for what they were sent, each request once', async () => {
    const edge = await start();
    const random = seededRandom(3);
    let received = 0;
    let written = 0;
    for (let count = 0; count < 25; count += 1) {
      const [connection, serverSide] = await openPaused(edge, way);
      const gone = closed(serverSide);
      connection.send(requestText(count % 2 === 0 ? '/film.mp4' : '/poster.png', way.headers));
      const limit = 1 + random.below(600_000);
      connection.socket.on('data', () => {
        if (connection.socket.bytesRead >= limit) connection.socket.destroy();
      });
      connection.socket.resume();
      await gone;
      received += connection.socket.bytesRead;
      written += serverSide.bytesWritten;
    }
    const { requests, bytes } = metered(edge.ports, 'site.test');
    expect(requests).toBe(25);
    expect(bytes).toBe(written);
    expect(bytes).toBeGreaterThanOrEqual(received);
  });

  test('a long response is reported in progress', async () => {
    const edge = await start();
    const [connection] = await openPaused(edge, way);
    connection.send(requestText('/film.mp4', way.headers).repeat(4));
    await expect.poll(() => metered(edge.ports, 'site.test').bytes).toBeGreaterThan(1024 * 1024);
    expect(metered(edge.ports, 'site.test').bytes).toBeLessThan(4 * bodies['film.mp4'].length);
    connection.close();
  });
});

test('a client that disconnects before its response is not counted, on either path', async () => {
  for (const [, way] of ways.filter(([, { isSecure }]) => !isSecure)) {
    const edge = await start();
    const { ports } = edge;
    const resolveHost = ports.resolveHost.bind(ports);
    const look = Promise.withResolvers<void>();
    ports.resolveHost = async (hostname) => {
      await look.promise;
      return resolveHost(hostname);
    };
    edge.edge.invalidateHost('site.test');
    const [connection, serverSide] = await openPaused(edge, way);
    const gone = closed(serverSide);
    connection.send(requestText('/small.txt', way.headers).repeat(2));
    await expect.poll(() => serverSide.bytesRead).toBeGreaterThan(0);
    connection.socket.resetAndDestroy();
    await gone;
    look.resolve();
    await ask(edge.port, '/small.txt');
    await edge.edge.close();
    expect(ports.records).toHaveLength(1);
  }
});
