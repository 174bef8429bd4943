import { describe, expect, test } from 'vitest';
import { ask, RawConnection, requestText } from './edge-client.ts';
import { MemoryPorts } from './edge-fixture.ts';
import { askHttp2, createTestAuthority, openHttp2, openTls, startSecureEdge } from './edge-secure-fixture.ts';

const authority = await createTestAuthority();

/** A secure edge with a good site, and one whose version contains what no deploy accepts today. */
async function prepare(header: readonly [string, string] = ['x-a', 'b']) {
  const ports = new MemoryPorts();
  ports.addVersion('good', { 'small.txt': 'small' });
  ports.point('site.test', 'good');
  ports.addVersion('bad', {
    'small.txt': 'small',
    'large.bin': Buffer.alloc(1_500_000),
    _headers: '/*\n  X-Replaced: value of it\n',
    _redirects: '/old /new 301\n',
  });
  const version = ports.versions.get('bad');
  if (version === undefined) throw new Error('the version is gone');
  const stored = JSON.stringify(version.headers, null, 0);
  const headers = JSON.parse(
    stored.replaceAll(/x-replaced/gi, header[0]).replaceAll('value of it', header[1]),
  );
  const redirects = JSON.parse(JSON.stringify(version.redirects).replaceAll('301', '101'));
  ports.versions.set('bad', { ...version, headers, redirects });
  ports.point('bad.test', 'bad');
  const certificate = await authority.issue(['site.test', 'bad.test']);
  for (const name of ['site.test', 'bad.test']) ports.certificates.set(name, certificate);
  return { ports, ...(await startSecureEdge(ports)) };
}

describe('a response that cannot be written', () => {
  test.each([
    ['http2-settings', 'x'],
    ['connection', 'upgrade'],
    ['transfer-encoding', 'chunked'],
    ['x bad', 'x'],
    ['x-a', 'a\\u0000b'],
    [':status', '200'],
  ] as const)('ends its request and nothing else: %s', async (...header) => {
    const { port, securePort } = await prepare(header);
    const session = await openHttp2(securePort, 'bad.test');
    // Cold, while loading into memory, and ready.
    for (const path of ['/small.txt', '/small.txt', '/small.txt', '/large.bin', '/old']) {
      const stream = session.request({ ':path': path });
      stream.on('error', () => {});
      stream.resume();
      await new Promise((resolve) => stream.once('close', resolve));
      for (const via of ['fast', 'node'] as const) {
        await ask(port, path, { Host: 'bad.test' }, { via }).catch(() => 'closed');
      }
    }
    expect((await askHttp2(session, '/small.txt', { ':authority': 'site.test' })).status).toBe(200);
    for (const via of ['fast', 'node'] as const) {
      expect((await ask(port, '/small.txt', {}, { via })).status).toBe(200);
    }
    session.close();
  });

  test('is logged', async () => {
    const { securePort, log } = await prepare();
    const session = await openHttp2(securePort, 'bad.test');
    await expect(askHttp2(session, '/old')).rejects.toThrow(/NGHTTP2_INTERNAL_ERROR/);
    expect((await askHttp2(session, '/small.txt')).status).toBe(200);
    expect(log).toEqual(['a response broke off']);
    session.close();
  });
});

describe('an impossible host', () => {
  const names = [
    'x:99999',
    'x:-1',
    'site.test:80:80',
    'user@site.test',
    '[::1]',
    'a b',
    '%',
    '.',
    'é.test',
    'x:1e3',
  ];

  test.each(names)('is refused over HTTP/1.1: %s', async (name) => {
    const { port, securePort } = await prepare();
    for (const via of ['fast', 'node'] as const) {
      expect((await ask(port, '/', { Host: name }, { via })).status).toBe(400);
    }
    const secure = new RawConnection(await openTls(securePort, { servername: 'site.test' }));
    secure.send(requestText('/', { Host: name }));
    expect((await secure.response()).status).toBe(400);
    secure.send(`GET http://${name.replace(' ', '')}/ HTTP/1.1\r\nHost: site.test\r\n\r\n`);
    expect((await secure.response()).status).toBeLessThan(500);
    secure.close();
  });

  test.each(names)('is refused over HTTP/2: %s', async (name) => {
    const { securePort } = await prepare();
    const session = await openHttp2(securePort, 'site.test');
    const response = await askHttp2(session, '/', { ':authority': name }).then(
      ({ status }) => String(status),
      (error: Error) => error.message,
    );
    // What is not HTTP/2 at all is refused before it is a request.
    expect(response).toMatch(/^400$|NGHTTP2_PROTOCOL_ERROR/);
    session.destroy();
  });
});
