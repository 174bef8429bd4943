import { describe, expect, test } from 'vitest';
import type { EdgePorts } from '#server/edge/ports.ts';
import { ask, RawConnection, requestText } from './edge-client.ts';
import { examplePorts, large } from './edge-example-site.ts';
import { askHttp2, createTestAuthority, openHttp2, openTls, startSecureEdge } from './edge-secure-fixture.ts';

const authority = await createTestAuthority();

const year = 31_536_000;
/** What the fast path leaves to Node's HTTP server. */
const otherLane = { Connection: 'keep-alive, x' };

/**
 * Hosts of every kind: with https and HSTS, with https, without, redirects, suspended; certificates for all.
 */
async function prepare(
  options: Parameters<typeof startSecureEdge>[1] = {},
  morePorts: Pick<EdgePorts, 'forVisitor'> = {},
) {
  const ports = Object.assign(examplePorts(), morePorts);
  const active = { endpointId: 'e1', siteId: 's', isHttpsOnly: true };
  ports.point('strict.test', 'v1', { ...active, strictTransportSeconds: year });
  ports.point('secure.test', 'v1', active);
  ports.point('plain.test', 'v1', { ...active, isHttpsOnly: false });
  ports.point('stopped.test', 'v1', { ...active, isSuspended: true });
  ports.point('a.sites.test', 'v1', { siteId: 's' });
  ports.redirect('from.test', 'https://to.example/base?ref=1#part');
  ports.redirect('strict-from.test', 'https://to.example', {
    isHttpsOnly: true,
    strictTransportSeconds: year,
  });
  ports.redirect('loop.test', 'https://loop.test/x');
  const everyName = await authority.issue([
    ...['strict.test', 'secure.test', 'plain.test', 'stopped.test', 'from.test', 'strict-from.test'],
    ...['nobody.test', '*.sites.test'],
  ]);
  for (const name of ['strict.test', 'secure.test', 'plain.test', 'stopped.test', '*.sites.test'])
    ports.certificates.set(name, everyName);
  for (const name of ['from.test', 'strict-from.test', 'nobody.test'])
    ports.certificates.set(name, everyName);
  ports.certificates.set('site.test', await authority.issue(['site.test']));
  return {
    ports,
    ...(await startSecureEdge(ports, { secureUrl: (hostname) => `https://${hostname}:8443`, ...options })),
  };
}

/** Sends one request over TLS in HTTP/1.1. */
async function askSecure(port: number, hostname: string, path: string, headers: Record<string, string> = {}) {
  const connection = new RawConnection(await openTls(port, { servername: hostname }));
  connection.send(requestText(path, { Host: hostname, ...headers }));
  try {
    return await connection.response();
  } finally {
    connection.close();
  }
}

describe('a host whose certificate is active', () => {
  test('redirects http to https with path and query, at the public port, not cacheable', async () => {
    const { port } = await prepare();
    for (const via of ['fast', 'node'] as const) {
      for (const path of ['/', '/a/b?c=d&e', '/large.bin', '//evil.example/x', '/%0d%0aSet-Cookie:%20a=b']) {
        const response = await ask(port, path, { Host: 'secure.test' }, { via });
        expect([response.status, response.headers.location]).toEqual([
          308,
          `https://secure.test:8443${path}`,
        ]);
        expect(response.headers['cache-control']).toBe('public, max-age=0, must-revalidate');
        expect(response.headers['strict-transport-security']).toBeUndefined();
      }
    }
    const byPort = await ask(port, '/x', { Host: 'SECURE.test.:80' });
    expect(byPort.headers.location).toBe('https://secure.test:8443/x');
    expect((await ask(port, '/x', { Host: 'secure.test' }, { method: 'POST', via: 'node' })).status).toBe(
      405,
    );
  });

  test('is served over https, and a warm response there is never used for http', async () => {
    const { port, securePort } = await prepare();
    for (let count = 0; count < 3; count += 1) {
      expect((await askSecure(securePort, 'strict.test', '/about')).status).toBe(200);
      expect((await ask(port, '/about', { Host: 'strict.test' })).status).toBe(308);
    }
  });

  test('leaves names of the platform and hosts without a certificate reachable both ways', async () => {
    const { port, securePort } = await prepare();
    for (const hostname of ['a.sites.test', 'plain.test']) {
      expect((await ask(port, '/about', { Host: hostname })).status).toBe(200);
      expect((await askSecure(securePort, hostname, '/about')).status).toBe(200);
    }
  });
});

describe('Strict-Transport-Security', () => {
  test('is in every response over TLS of a host that chose it, on every path, and nowhere else', async () => {
    const { port, securePort } = await prepare();
    const session = await openHttp2(securePort, 'strict.test');
    const paths = ['/about', '/about', '/about', '/nowhere', '/old', '/large.bin', '/%00', '/empty.txt'];
    for (const path of paths) {
      const responses = [
        await askSecure(securePort, 'strict.test', path),
        await askSecure(securePort, 'strict.test', path, otherLane),
        await askHttp2(session, path),
      ];
      for (const { headers } of responses) {
        expect([path, headers['strict-transport-security']]).toEqual([path, `max-age=${year}`]);
      }
    }
    const { headers } = await askSecure(securePort, 'strict.test', '/about');
    const conditional = { 'if-none-match': headers.etag ?? '' };
    const confirmed = await askSecure(securePort, 'strict.test', '/about', conditional);
    expect([confirmed.status, confirmed.headers['strict-transport-security']]).toEqual([
      304,
      `max-age=${year}`,
    ]);
    const streamed = await askHttp2(session, '/about', conditional);
    expect([streamed.status, streamed.headers['strict-transport-security']]).toEqual([
      304,
      `max-age=${year}`,
    ]);
    const redirect = await askSecure(securePort, 'strict-from.test', '/');
    expect([redirect.status, redirect.headers['strict-transport-security']]).toEqual([
      301,
      `max-age=${year}`,
    ]);
    for (const hostname of ['secure.test', 'plain.test', 'a.sites.test', 'nobody.test']) {
      for (const path of ['/about', '/about', '/nowhere']) {
        const response = await askSecure(securePort, hostname, path);
        expect([hostname, response.headers['strict-transport-security']]).toEqual([hostname, undefined]);
      }
    }
    expect(
      (await ask(port, '/about', { Host: 'strict.test' })).headers['strict-transport-security'],
    ).toBeUndefined();
    session.close();
  });

  test('set by the site itself is kept', async () => {
    const { ports, securePort, edge } = await prepare();
    const own = 'max-age=5; includeSubDomains';
    ports.addVersion('v2', { 'a.txt': 'a', _headers: `/*\n  Strict-Transport-Security: ${own}\n` });
    ports.point('strict.test', 'v2', { siteId: 's', isHttpsOnly: true, strictTransportSeconds: year });
    edge.invalidateHost('strict.test');
    for (let count = 0; count < 3; count += 1) {
      const { headers } = await askSecure(securePort, 'strict.test', '/a.txt');
      expect(headers['strict-transport-security']).toBe(own);
    }
  });

  test('follows the setting immediately', async () => {
    const { ports, securePort, edge } = await prepare();
    const told = async () =>
      (await askSecure(securePort, 'strict.test', '/about')).headers['strict-transport-security'];
    for (const seconds of [year, 86_400, 0, year]) {
      ports.point('strict.test', 'v1', { siteId: 's', isHttpsOnly: true, strictTransportSeconds: seconds });
      edge.invalidateHost('strict.test');
      for (let count = 0; count < 2; count += 1)
        expect(await told()).toBe(seconds === 0 ? undefined : `max-age=${seconds}`);
    }
  });
});

describe('a redirect host', () => {
  test.each([
    ['/', 'https://to.example/base?ref=1#part'],
    ['/a', 'https://to.example/base/a?ref=1#part'],
    ['/a/?b=c', 'https://to.example/base/a/?ref=1&b=c#part'],
    ['/?b=c&ref=2', 'https://to.example/base?ref=1&b=c&ref=2#part'],
    ['/%C3%A9t%C3%A9?q=%26', 'https://to.example/base/%C3%A9t%C3%A9?ref=1&q=%26#part'],
    ['//evil.example/x', 'https://to.example/base/evil.example/x?ref=1#part'],
    ['/\\evil.example', 'https://to.example/base/evil.example?ref=1#part'],
    ['/@evil.example', 'https://to.example/base/@evil.example?ref=1#part'],
    ['/%0d%0aSet-Cookie:%20a=b', 'https://to.example/base/%0d%0aSet-Cookie:%20a=b?ref=1#part'],
  ])('responds to %s with 301 and %s', async (path, location) => {
    const { port, securePort } = await prepare();
    const responses = [
      await ask(port, path, { Host: 'from.test' }),
      await ask(port, path, { Host: 'from.test' }, { via: 'node' }),
      await askSecure(securePort, 'from.test', path),
    ];
    for (const { status, headers } of responses) {
      expect([status, headers.location]).toEqual([301, location]);
      expect(headers['cache-control']).toBe('public, max-age=0, must-revalidate');
      expect(new URL(headers.location ?? '').host).toBe('to.example');
    }
  });

  test('rejects what is not a path, and never leads to itself', async () => {
    const { port, ports } = await prepare();
    for (const target of ['/a\u00e9', '/a#b', '*']) {
      const { status, headers } = await ask(port, target, { Host: 'from.test' });
      expect([target, status, headers.location]).toEqual([target, 400, undefined]);
    }
    expect((await ask(port, '/', { Host: 'loop.test' })).headers.location).toBeUndefined();
    expect(ports.records.at(-1)).toMatchObject({ hostname: 'loop.test', path: null });
  });

  test('redirects to https first when its certificate is active', async () => {
    const { port, securePort } = await prepare();
    const plain = await ask(port, '/a?b', { Host: 'strict-from.test' });
    expect([plain.status, plain.headers.location]).toEqual([308, 'https://strict-from.test:8443/a?b']);
    expect((await askSecure(securePort, 'strict-from.test', '/a?b')).headers.location).toBe(
      'https://to.example/a?b',
    );
  });
});

describe('a request for another name than the connection', () => {
  test('is misdirected, unless the certificate covers both', async () => {
    const { securePort } = await prepare();
    for (const extra of [{}, otherLane]) {
      const connection = new RawConnection(await openTls(securePort, { servername: 'site.test' }));
      const statusFor = async (hostname: string) => {
        connection.send(requestText('/about', { Host: hostname, ...extra }));
        return (await connection.response()).status;
      };
      expect(await statusFor('site.test')).toBe(200);
      expect(await statusFor(`SITE.test.:${securePort}`)).toBe(200);
      expect(await statusFor('strict.test')).toBe(421);
      expect(await statusFor('nobody.test')).toBe(421);
      expect(await statusFor('site.test')).toBe(200);
      connection.close();
    }
    const session = await openHttp2(securePort, 'strict.test');
    const streamFor = async (hostname: string) =>
      (await askHttp2(session, '/about', { ':authority': hostname })).status;
    expect(await streamFor('strict.test')).toBe(200);
    expect(await streamFor('secure.test')).toBe(200);
    expect(await streamFor('a.sites.test')).toBe(200);
    expect(await streamFor('site.test')).toBe(421);
    expect(await streamFor('nobody.test')).toBe(404);
    const twoNames = await askHttp2(session, '/about', { ':authority': 'strict.test', host: 'secure.test' });
    expect(twoNames.status).toBe(400);
    session.close();
  });

  test('uses the certificate that was shown when its name is evicted during the handshake', async () => {
    const { securePort, edge } = await prepare();
    // As when the lookup of a name expires in the middle.
    edge.secureServer?.prependListener('secureConnection', () => {
      edge.invalidateHost('strict.test');
      edge.invalidateHost('192.0.2.1');
    });
    // Some clients send the address that they connect to.
    for (const servername of ['strict.test', '192.0.2.1']) {
      const connection = new RawConnection(await openTls(securePort, { servername }));
      const statusFor = async (hostname: string) => {
        connection.send(requestText('/about', { Host: hostname }));
        return (await connection.response()).status;
      };
      expect(await statusFor('a.sites.test')).toBe(200);
      expect(await statusFor('site.test')).toBe(421);
      connection.close();
    }
  });

  test('without a server name gets what the default certificate covers', async () => {
    const { securePort } = await prepare();
    const statusFor = async (hostname: string) => {
      const connection = new RawConnection(await openTls(securePort));
      connection.send(requestText('/about', { Host: hostname }));
      const { status, body } = await connection.response();
      connection.close();
      return [status, body.toString().includes('another address')];
    };
    await expect.poll(() => statusFor('a.sites.test')).toEqual([200, false]);
    expect(await statusFor('site.test')).toEqual([421, true]);
  });

  test('without its own certificate is served to clients that accept the default one', async () => {
    const { securePort, ports } = await prepare();
    ports.point('bare.test', 'v1');
    expect((await askSecure(securePort, 'bare.test', '/about')).status).toBe(200);
    expect((await askSecure(securePort, 'unknown.test', '/')).status).toBe(404);
  });
});

test('a suspended host responds with 503 over https, and http still redirects there', async () => {
  const { ports, port, securePort } = await prepare();
  const response = await askSecure(securePort, 'stopped.test', '/about');
  expect([response.status, response.headers['cache-control']]).toEqual([503, 'no-store']);
  expect((await ask(port, '/', { Host: 'stopped.test' })).status).toBe(308);
  expect(ports.records).toHaveLength(2);
  for (const record of ports.records) expect(record).toMatchObject({ isRefused: true, path: null });
});

test('metering counts for the endpoint, on every path, warm and cold', async () => {
  const { ports, port, securePort } = await prepare();
  const session = await openHttp2(securePort, 'strict.test');
  ports.records.length = 0;
  for (let count = 0; count < 3; count += 1) {
    await askHttp2(session, '/about');
    await askSecure(securePort, 'strict.test', '/about');
    await askSecure(securePort, 'strict.test', '/about', otherLane);
  }
  await askHttp2(session, '/large.bin');
  for (const record of ports.records) expect(record).toMatchObject({ hostname: 'strict.test', status: 200 });
  expect(ports.records).toHaveLength(10);
  await expect.poll(() => ports.records.at(-1)?.bytes).toBeGreaterThanOrEqual(large.length);
  await ask(port, '/about', { Host: 'a.sites.test' });
  expect(ports.records.at(-1)).toMatchObject({ hostname: 'a.sites.test' });
  session.close();
});

describe('behind a trusted proxy', () => {
  test('the scheme is what the proxy says, and nothing is redirected while it says nothing', async () => {
    const { port } = await prepare({ trustProxy: true });
    const strict = async (headers: Record<string, string>, via: 'fast' | 'node') => {
      const response = await ask(port, '/about', { Host: 'strict.test', ...headers }, { via });
      return [response.status, response.headers['strict-transport-security']];
    };
    for (const via of ['fast', 'node'] as const) {
      for (let count = 0; count < 3; count += 1) {
        expect(await strict({ 'X-Forwarded-Proto': 'https' }, via)).toEqual([200, `max-age=${year}`]);
        expect(await strict({ 'X-Forwarded-Proto': 'HTTPS, http' }, via)).toEqual([200, `max-age=${year}`]);
        expect(await strict({ 'X-Forwarded-Proto': 'http' }, via)).toEqual([308, undefined]);
        expect(await strict({}, via)).toEqual([200, undefined]);
      }
    }
  });

  test('an untrusted one is ignored', async () => {
    const { port } = await prepare();
    const response = await ask(port, '/about', { Host: 'strict.test', 'X-Forwarded-Proto': 'https' });
    expect(response.status).toBe(308);
  });
});

test('a hostname that is not known yet is looked up for the visitor who sends it, on every kind of connection', async () => {
  const lookedUpFor: string[] = [];
  const forVisitor = <T>(visitor: string, lookUp: () => Promise<T>) => {
    lookedUpFor.push(visitor);
    return lookUp();
  };
  const { port, securePort } = await prepare({ trustProxy: true }, { forVisitor });
  const from = (address: string) => ({ 'X-Forwarded-For': address });
  await ask(port, '/', { Host: 'first.test', ...from('192.0.2.1') });
  await ask(port, '/', { Host: 'second.test', ...from('192.0.2.2') }, { via: 'node' });
  const session = await openHttp2(securePort, 'a.sites.test');
  await askHttp2(session, '/about', { 'x-forwarded-for': '192.0.2.3' });
  session.close();
  for (const address of ['192.0.2.4', '192.0.2.5']) {
    await ask(port, '/about', { Host: 'plain.test', ...from(address) });
  }
  // What the one before has looked up is known to the last.
  expect(lookedUpFor).toEqual(['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4']);
});
