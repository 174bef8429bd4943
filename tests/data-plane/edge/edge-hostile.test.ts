import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, RawConnection, requestText } from './edge-client.ts';
import { MemoryPorts, startEdge, type TestEdge } from './edge-fixture.ts';

const secret = 'the other site';
let running: TestEdge;

beforeAll(async () => {
  const ports = new MemoryPorts();
  ports.addVersion('v1', {
    'index.html': 'home',
    'a/b.txt': 'text',
    'large.bin': Buffer.alloc(1_500_000, 'x'),
  });
  ports.addVersion('v2', { 'index.html': secret });
  ports.point('site.test', 'v1', { spaFallback: true });
  ports.point('other.test', 'v2');
  running = await startEdge(ports, { limits: { idleMs: 2_000, headMs: 2_000, requestMs: 2_000 } });
});

afterAll(() => running.edge.close());

test('whatever bytes arrive, in whatever pieces, the edge keeps serving', async () => {
  const piece = fc.oneof(
    fc.constantFrom(
      requestText('/'),
      requestText('/large.bin'),
      requestText('/a/b.txt', { Connection: 'keep-alive, x' }),
      requestText('/a/b.txt', { Connection: 'close' }),
      requestText('/', { Upgrade: 'websocket', Connection: 'Upgrade' }),
      requestText('/', {
        Upgrade: 'h2c',
        'HTTP2-Settings': 'AAMAAABkAAQAAP__',
        Connection: 'Upgrade, HTTP2-Settings',
      }),
      requestText('/', { Expect: '100-continue', 'Content-Length': '3' }, 'POST'),
      requestText('/', { 'Transfer-Encoding': 'chunked' }),
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      'CONNECT site.test:443 HTTP/1.1\r\nHost: site.test\r\n\r\n',
      'OPTIONS * HTTP/1.1\r\nHost: site.test\r\n\r\n',
      'GET / HTTP/1.1\r\n',
      'Host: site.test\r\n',
      '\r\n',
      '0\r\n\r\n',
    ),
    fc.string({ unit: 'binary' }),
  );
  const ending = fc.constantFrom('destroy', 'half-close');
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece, { maxLength: 6 }),
      ending,
      fc.boolean(),
      async (pieces, how, together) => {
        const connection = new RawConnection(running.port);
        for (const text of together ? [pieces.join('')] : pieces) {
          connection.send(Buffer.from(text, 'latin1'));
          await new Promise((resolve) => setImmediate(resolve));
        }
        if (how === 'destroy') connection.close();
        else connection.socket.end();
        await connection.closed();
        const { status, body } = await ask(running.port, '/');
        expect([status, body.toString()]).toEqual([200, 'home']);
      },
    ),
    { numRuns: 300 },
  );
  await expect.poll(() => connectionCount()).toBe(0);
});

test('no target reaches the files of another site, the disk or anything but the manifest', async () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '..',
      '.',
      '%2e%2e',
      '%2E.',
      '%2f',
      '%5c',
      '\\',
      '//',
      '%00',
      'other.test',
      'index.html',
      'etc/passwd',
      '%c0%af',
      '@',
      ':80',
    ),
    fc.webFragments(),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 6 }), fc.boolean(), async (pieces, isNode) => {
      const target = `/${pieces.join('/')}`.replace(/[^!-~]/g, '');
      const { status, body } = await ask(running.port, target, {}, { via: isNode ? 'node' : 'fast' });
      expect([200, 308, 400, 404]).toContain(status);
      expect(body.toString()).not.toContain(secret);
      if (status === 200) expect(['home', 'text']).toContain(body.toString());
    }),
    { numRuns: 500 },
  );
});

test('for a missing file, no page is served as if the file existed, even in a single-page application', async () => {
  for (const target of ['/app.js', '/x/y.css', '/img/logo.png', '/chunk-4XWZ7QK2.js', '/data.json', '/a.b']) {
    expect((await ask(running.port, target)).status).toBe(404);
  }
  expect((await ask(running.port, '/users/7')).body.toString()).toBe('home');
});

test('no more than the allowed head is ever read', async () => {
  const connection = new RawConnection(running.port);
  connection.send('GET / HTTP/1.1\r\nHost: site.test\r\n');
  const line = `X-Filler: ${'a'.repeat(1_000)}\r\n`;
  for (let count = 0; count < 64 && !connection.isClosed; count += 1) connection.send(line);
  expect((await connection.response()).status).toBe(431);
  await connection.closed();
});

function connectionCount(): Promise<number> {
  return new Promise((resolve, reject) => {
    running.edge.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}
