import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { ensureDebianPackages } from '#tests/support/runner/debian-packages.ts';
import { type SeededRandom, seededRandom } from '#tests/support/seeded-random.ts';
import { ask, RawConnection, requestText } from '../edge/edge-client.ts';
import { openTls } from '../edge/edge-secure-fixture.ts';
import {
  addResponse,
  bodies,
  emptyTally,
  metered,
  startMeteredEdge,
  type Tally,
} from './usage-bytes-fixture.ts';

type MeteredEdge = Awaited<ReturnType<typeof startMeteredEdge>>;

const run = promisify(execFile);

interface Request {
  readonly method?: string;
  readonly target: string;
  readonly headers?: Record<string, string>;
  readonly status: number;
}

const br = { 'Accept-Encoding': 'br, gzip' };
const gzip = { 'Accept-Encoding': 'gzip' };
const known = { 'If-None-Match': '*' };

/** Every kind of response of a site. */
const requests: readonly Request[] = [
  ...Object.keys(bodies).map((name) => ({ target: name === 'index.html' ? '/' : `/${name}`, status: 200 })),
  { target: '/', headers: br, status: 200 },
  { target: '/', headers: gzip, status: 200 },
  { target: '/app.css', headers: br, status: 200 },
  { target: '/app.css', headers: gzip, status: 200 },
  { target: '/app.css', headers: { ...br, ...known }, status: 304 },
  { target: '/small.txt', headers: known, status: 304 },
  { target: '/film.mp4', headers: known, status: 304 },
  { target: '/small.txt?who=me', status: 200 },
  { target: '/poster.png', headers: { Range: 'bytes=100000-499999' }, status: 206 },
  { target: '/film.mp4', headers: { Range: 'bytes=1000000-1999999' }, status: 206 },
  { target: '/film.mp4', headers: { Range: 'bytes=-5' }, status: 206 },
  { target: '/film.mp4', headers: { Range: 'bytes=99999999-' }, status: 416 },
  { target: '/small.txt', headers: { 'If-Match': '"other"' }, status: 412 },
  { method: 'HEAD', target: '/film.mp4', status: 200 },
  { method: 'HEAD', target: '/', headers: br, status: 200 },
  { method: 'HEAD', target: '/nowhere', status: 404 },
  { target: '/old', status: 302 },
  { target: '/away/x?y', status: 308 },
  { target: '/index.html', status: 308 },
  { target: '/nowhere/at/all', status: 404 },
  { target: '/%00', status: 400 },
  // From here on, Node's HTTP server answers, and keeps the connection.
  { method: 'POST', target: '/', status: 405 },
  { method: 'OPTIONS', target: '*', status: 405 },
  { target: '/poster.png', headers: { Connection: 'keep-alive, x' }, status: 200 },
];
const plainRequests = requests.length - 3;

const stopped = 'stopped.sites.test';

/** Requests everything once, so that from now on only the film is not in memory. */
async function warmUp({ port, ports }: MeteredEdge): Promise<void> {
  for (const { target, headers, method } of requests) {
    await ask(port, target, headers, method === undefined ? {} : { method });
  }
  ports.records.length = 0;
}

/** Sends many requests over one connection, some at once, and adds what arrived to the tallies, by host. */
async function visit(
  connection: RawConnection,
  random: SeededRandom,
  hosts: readonly string[],
  isPlain: boolean,
  tallies: Map<string, Tally>,
): Promise<void> {
  for (let count = 0; count < 8; count += 1) {
    const batch = Array.from({ length: 1 + random.below(6) }, () => ({
      request: requests[random.below(isPlain ? plainRequests : requests.length)] as Request,
      hostname: hosts[random.below(hosts.length)] as string,
    }));
    connection.send(
      batch
        .map(({ request: { target, headers, method }, hostname }) =>
          requestText(target, { Host: hostname, ...headers }, method),
        )
        .join(''),
    );
    for (const { request, hostname } of batch) {
      const response = await connection.response(request.method === 'HEAD');
      const isKnown = hostname !== stopped && hostname !== 'nobody.sites.test';
      if (isKnown) expect([request, response.status]).toEqual([request, request.status]);
      const isFilm = /film/.test(request.target) && response.status < 300 && response.body.length > 0;
      const tally = tallies.get(hostname) ?? emptyTally();
      tallies.set(hostname, tally);
      addResponse(tally, { ...response, isCacheHit: !isFilm, isRefused: hostname === stopped });
    }
  }
}

describe('every byte on the wire is counted, for its host and once', () => {
  test.each([
    ['HTTP', 'site.test', ['site.test', 'one.sites.test', stopped, 'nobody.sites.test']],
    ['HTTPS', 'one.sites.test', ['one.sites.test', 'two.sites.test', stopped, 'nobody.sites.test']],
  ])('over %s', async (scheme, servername, hosts) => {
    const edge = await startMeteredEdge();
    await warmUp(edge);
    const tallies = new Map<string, Tally>();
    const visits = Array.from({ length: 12 }, async (_, at) => {
      const to = scheme === 'HTTP' ? edge.port : await openTls(edge.securePort, { servername });
      const connection = new RawConnection(to);
      await visit(connection, seededRandom(100 + at), hosts, at % 2 === 0, tallies);
      connection.close();
      return connection.socket.bytesRead;
    });
    const received = (await Promise.all(visits)).reduce((sum, bytes) => sum + bytes, 0);
    await edge.edge.close();
    // The tallies add up to everything that the sockets have read.
    const all = [...tallies.values()].reduce((sum, { bytes, refusedBytes }) => sum + bytes + refusedBytes, 0);
    expect(all).toBe(received);
    for (const hostname of hosts) {
      const expected = hostname === 'nobody.sites.test' ? emptyTally() : tallies.get(hostname);
      expect([hostname, metered(edge.ports, hostname)]).toEqual([hostname, expected]);
    }
  });

  test.each([
    ['in HTTP/1.0', 'GET /small.txt HTTP/1.0\r\nHost: site.test\r\n\r\n'],
    ['with Connection: close', requestText('/poster.png', { Connection: 'close' })],
    ['with a body', `${requestText('/', { 'Content-Length': '3' }, 'POST')}abc`],
    [
      'that waits for 100 (Continue)',
      requestText('/small.txt', { Expect: '100-continue', 'Content-Length': '3' }, 'PUT'),
    ],
    ['with an absolute target', 'GET http://site.test/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
  ])('of a request %s', async (_, text) => {
    const { ports, port } = await startMeteredEdge();
    const connection = new RawConnection(port);
    connection.send(text);
    const received = await connection.closed();
    await expect
      .poll(() => metered(ports, 'site.test'))
      .toMatchObject({ requests: 1, bytes: received.length });
    expect(received.length).toBe(connection.socket.bytesRead);
  });

  test('and what Node refuses itself is charged to no one, before and after a response', async () => {
    const { ports, port, edge } = await startMeteredEdge();
    const { bytes } = await ask(port, '/small.txt', {}, { via: 'node' });
    const connection = new RawConnection(port);
    connection.send(requestText('/small.txt', { Expect: 'wonders' }));
    expect((await connection.response()).status).toBe(417);
    connection.send(requestText('/small.txt', { Connection: 'keep-alive, x' }));
    await expect.poll(() => ports.records.length).toBe(2);
    connection.send('nonsense\r\n\r\n');
    expect((await connection.closed()).toString()).toContain('400 Bad Request');
    await edge.close();
    expect(metered(ports, 'site.test')).toMatchObject({ requests: 2, bytes: 2 * bytes });
  });
});

test('a file that is read is a miss, and the same from memory a hit, on either path', async () => {
  const { ports, port } = await startMeteredEdge();
  for (const via of ['fast', 'node'] as const) {
    const target = via === 'fast' ? '/middle.png' : '/poster.png';
    for (let count = 0; count < 3; count += 1) await ask(port, target, {}, { via });
    for (let count = 0; count < 2; count += 1) await ask(port, '/film.mp4', {}, { via });
    await expect.poll(() => ports.records.length).toBe(5);
    expect(ports.records.map(({ isCacheHit }) => isCacheHit)).toEqual([false, true, true, false, false]);
    ports.records.length = 0;
  }
});

test('curl receives what is counted', async () => {
  ensureDebianPackages(['curl']);
  const { ports, port, securePort, edge } = await startMeteredEdge();
  const curl = async (url: string, ...extra: string[]): Promise<{ head: number; body: number }> => {
    const to = [`site.test:${port}`, `site.test:${securePort}`].flatMap((from) => [
      '--connect-to',
      `${from}:127.0.0.1:${from.split(':')[1]}`,
    ]);
    const parameters = ['--silent', '--insecure', '--output', '/dev/null', ...to, ...extra];
    const { stdout } = await run('curl', [
      ...parameters,
      '--write-out',
      '%{size_header} %{size_download}',
      url,
    ]);
    const [head = 0, body = 0] = stdout.split(' ').map(Number);
    return { head, body };
  };
  const plain = `http://site.test:${port}`;
  const secure = `https://site.test:${securePort}`;
  let bytes = 0;
  const asked: [string, ...string[]][] = [
    [`${plain}/`, '--compressed'],
    [`${plain}/film.mp4`],
    [`${plain}/film.mp4`, '--range', '5-1000004'],
    [`${plain}/poster.png`, '--head'],
    [`${plain}/nowhere`, '--http1.0'],
    [`${plain}/old`, '--location'],
    [`${secure}/poster.png`, '--http1.1'],
    [`${secure}/`, '--http1.1', '--header', 'Accept-Encoding: br'],
  ];
  for (const [url, ...extra] of asked) {
    const seen = await curl(url, ...extra);
    bytes += seen.head + seen.body;
  }
  await expect.poll(() => metered(ports, 'site.test')).toMatchObject({ requests: 9, bytes });
  ports.records.length = 0;
  // Over HTTP/2, curl reports the head in HTTP/1.1 form; compressed and in frames it is smaller.
  const film = await curl(`${secure}/film.mp4`, '--http2');
  await edge.close();
  const counted = metered(ports, 'site.test');
  expect(film.body).toBe(bodies['film.mp4'].length);
  expect(counted.requests).toBe(1);
  expect(counted.bytes).toBeGreaterThan(film.body + film.body / 16_384);
  expect(counted.bytes).toBeLessThan(film.body * 1.005);
});
