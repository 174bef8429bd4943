import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect as connectPlain, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { RawConnection, requestText } from './edge-client.ts';
import { examplePorts, large, page, picture } from './edge-example-site.ts';
import {
  askHttp2,
  createTestAuthority,
  openHttp2,
  openTls,
  runOpenssl,
  runProgram,
  type SecureTestEdge,
  shownSerial,
  startSecureEdge,
  type TestAuthority,
} from './edge-secure-fixture.ts';

let authority: TestAuthority;
let folder: string;
let running: SecureTestEdge | null = null;

beforeAll(async () => {
  authority = await createTestAuthority();
  folder = await mkdtemp(join(tmpdir(), 'edge-tls-'));
  await writeFile(join(folder, 'root.pem'), authority.root);
});

afterEach(async () => {
  await running?.edge.close();
  running = null;
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** An edge with a site at `site.test` and at `a.sites.test`, certificates for both, and one for two names. */
async function prepare(options: Parameters<typeof startSecureEdge>[1] = {}) {
  const ports = examplePorts();
  ports.point('a.sites.test', 'v1', { siteId: 'a' });
  ports.point('one.test', 'v1', { siteId: 'a' });
  ports.point('two.test', 'v1', { siteId: 'a' });
  const own = await authority.issue(['site.test']);
  const wildcard = await authority.issue(['*.sites.test']);
  const both = await authority.issue(['one.test', 'two.test']);
  ports.certificates.set('site.test', own);
  ports.certificates.set('*.sites.test', wildcard);
  ports.certificates.set('one.test', both);
  ports.certificates.set('two.test', both);
  running = await startSecureEdge(ports, options);
  await expect.poll(() => shownSerial(running?.securePort ?? 0)).toBe(wildcard.id);
  return { ports, own, wildcard, both, ...running };
}

/** A raw connection over TLS. */
async function rawTls(port: number, servername = 'site.test'): Promise<RawConnection> {
  return new RawConnection(await openTls(port, { servername, ALPNProtocols: ['http/1.1'] }));
}

describe('a site over https', () => {
  test('serves curl in HTTP/1.1 and HTTP/2, with a certificate that it verifies', async () => {
    const { securePort } = await prepare();
    const curl = (protocol: string) =>
      runProgram('curl', [
        ...['--silent', '--show-error', protocol, '--cacert', join(folder, 'root.pem')],
        ...[
          '--resolve',
          `site.test:${securePort}:127.0.0.1`,
          '--write-out',
          ' HTTP/%{http_version} %{http_code}',
        ],
        `https://site.test:${securePort}/about`,
      ]);
    expect(await curl('--http1.1')).toBe('<p>About</p> HTTP/1.1 200');
    expect(await curl('--http2')).toBe('<p>About</p> HTTP/2 200');
  });

  test('is the same on every path: files, HEAD, ranges, conditions, redirects, missing pages', async () => {
    const { securePort } = await prepare();
    const session = await openHttp2(securePort, 'site.test');
    const tls = await rawTls(securePort);
    const requests: [string, Record<string, string>, string?][] = [
      ['/', {}],
      ['/', { 'accept-encoding': 'br' }],
      ['/', {}, 'HEAD'],
      ['/picture.png', { range: 'bytes=10-19' }],
      ['/picture.png', { range: 'bytes=9999-' }],
      ['/large.bin', {}],
      ['/large.bin', { range: 'bytes=1000000-2999999' }],
      ['/large.bin', {}, 'HEAD'],
      ['/empty.txt', {}],
      ['/old?a=b', {}],
      ['/away/x', {}],
      ['/nowhere', {}],
      ['/%00', {}],
      ['/about', { 'if-match': '"x"' }],
      ['/about', {}, 'DELETE'],
    ];
    // Twice: the second time from memory.
    for (const [path, headers, method = 'GET'] of [...requests, ...requests]) {
      tls.send(requestText(path, headers, method));
      const first = await tls.response(method === 'HEAD');
      const second = await askHttp2(session, path, { ...headers, ':method': method });
      const { date, ...streamHeaders } = second.headers;
      const { date: _, connection: __, 'keep-alive': ___, ...plainHeaders } = first.headers;
      expect([path, second.status, streamHeaders]).toEqual([path, first.status, plainHeaders]);
      expect(second.body.equals(first.body)).toBe(true);
      expect(Date.parse(date ?? '')).toBeGreaterThan(0);
    }
    const { headers } = await askHttp2(session, '/');
    const confirmed = await askHttp2(session, '/', { 'if-none-match': headers.etag ?? '' });
    expect([confirmed.status, confirmed.body.length, confirmed.headers['content-type']]).toEqual([
      304,
      0,
      undefined,
    ]);
    session.close();
    tls.close();
  });

  test('serves pipelined requests in order, and loses nothing when a connection leaves the fast path', async () => {
    const { securePort } = await prepare();
    const connection = await rawTls(securePort);
    const targets = ['/about', '/large.bin', '/', '/picture.png'];
    const slow = requestText('/picture.png', { Connection: 'keep-alive, x' });
    connection.send(targets.map((target) => requestText(target)).join('') + slow + requestText('/about'));
    const lengths = [];
    for (let count = 0; count < 6; count += 1) lengths.push((await connection.response()).body.length);
    expect(lengths).toEqual([12, large.length, page.length, picture.length, picture.length, 12]);
    connection.close();
  });

  test('responds to a client’s last request, and TLS ends before the connection does', async () => {
    const { securePort } = await prepare();
    for (const target of ['/about', '/large.bin']) {
      const asked = requestText(target, { Connection: 'close' });
      const heard = await runOpenssl(securePort, ['-servername', 'site.test', '-ign_eof'], asked);
      expect(heard).toContain(target === '/about' ? '<p>About</p>' : large.toString());
      expect(heard).toContain('Connection: close');
      expect(heard).not.toContain('unexpected eof');
    }
  });

  test('responds to a client that ends its side after a request', async () => {
    const { securePort } = await prepare();
    for (const target of ['/about', '/large.bin']) {
      const connection = await rawTls(securePort);
      connection.send(requestText(target));
      connection.socket.end();
      expect((await connection.response()).status).toBe(200);
      expect(await connection.closed()).toHaveLength(0);
    }
  });
});

describe('the certificate shown', () => {
  test('is that of the server name, of its wildcard, or the default for everything else', async () => {
    const { securePort, own, wildcard, both } = await prepare();
    expect(await shownSerial(securePort, 'site.test')).toBe(own.id);
    expect(await shownSerial(securePort, 'SITE.test')).toBe(own.id);
    expect(await shownSerial(securePort, 'a.sites.test')).toBe(wildcard.id);
    expect(await shownSerial(securePort, 'b.sites.test')).toBe(wildcard.id);
    expect(await shownSerial(securePort, 'two.test')).toBe(both.id);
    for (const name of ['nobody.test', 'x.site.test', 'a.b.sites.test', undefined]) {
      expect([name, await shownSerial(securePort, name)]).toEqual([name, wildcard.id]);
    }
    const printed = await runOpenssl(securePort, ['-servername', 'site.test', '-showcerts']);
    expect(printed.toUpperCase()).toContain('CN = TEST ROOT');
  });

  test('is an untrusted one while there is none for the platform, and the right one as soon as there is', async () => {
    const { securePort, ports, edge, wildcard } = await prepare();
    await edge.close();
    ports.certificates.delete('*.sites.test');
    running = await startSecureEdge(ports);
    const { securePort: port } = running;
    expect(port).not.toBe(securePort);
    const before = await shownSerial(port);
    expect(before).not.toBe(wildcard.id);
    ports.certificates.set('*.sites.test', wildcard);
    running.edge.invalidateHost('*.sites.test');
    await expect.poll(() => shownSerial(port)).toBe(wildcard.id);
    expect(await shownSerial(port, 'a.sites.test')).toBe(wildcard.id);
  });

  test('is replaced without dropping what is open: new handshakes get the new one', async () => {
    const { securePort, ports, edge, own } = await prepare();
    const session = await openHttp2(securePort, 'site.test');
    const old = await rawTls(securePort);
    const renewed = await authority.issue(['site.test']);
    ports.certificates.set('site.test', renewed);
    expect(await shownSerial(securePort, 'site.test')).toBe(own.id);
    edge.invalidateHost('site.test');
    expect(await shownSerial(securePort, 'site.test')).toBe(renewed.id);
    old.send(requestText('/about'));
    expect((await old.response()).status).toBe(200);
    expect((await askHttp2(session, '/about')).status).toBe(200);
    old.close();
    session.close();
  });

  test('is looked up once for many simultaneous handshakes', async () => {
    const { securePort, ports } = await prepare();
    ports.asked.length = 0;
    await Promise.all(Array.from({ length: 30 }, () => shownSerial(securePort, 'one.test')));
    expect(ports.asked).toEqual(['certificate one.test']);
  });

  test('stays known when the database is down, even after a change was announced', async () => {
    const { securePort, ports, edge, own, wildcard } = await prepare();
    await shownSerial(securePort, 'site.test');
    ports.isDown = true;
    edge.invalidateHost('site.test');
    edge.invalidateHost('*.sites.test');
    expect(await shownSerial(securePort, 'site.test')).toBe(own.id);
    // Nothing is known about it: the handshake is not refused.
    expect(await shownSerial(securePort, 'one.test')).toBe(wildcard.id);
    ports.isDown = false;
    await expect.poll(() => shownSerial(securePort, 'one.test')).not.toBe(wildcard.id);
  });

  test('is found again when there are more of them than fit into memory', async () => {
    const { securePort, own, wildcard, both } = await prepare({
      limits: { certificatesMax: 1, serverNamesMax: 2 },
    });
    const names = {
      'site.test': own.id,
      'one.test': both.id,
      'a.sites.test': wildcard.id,
      'two.test': both.id,
    };
    for (let round = 0; round < 3; round += 1) {
      for (const [name, id] of Object.entries(names)) expect(await shownSerial(securePort, name)).toBe(id);
    }
  });

  test('that cannot be used is logged, and the default is shown', async () => {
    const { securePort, ports, own, wildcard, both, log } = await prepare();
    ports.certificates.set('broken.test', { ...own, id: 'broken', privateKey: both.privateKey });
    expect(await shownSerial(securePort, 'broken.test')).toBe(wildcard.id);
    expect(log).toContain('a certificate cannot be used');
  });

  test('is still shown after it has expired', async () => {
    const { securePort, ports } = await prepare();
    const expired = await authority.issue(['late.test'], Date.now() - 1_000);
    ports.certificates.set('late.test', expired);
    expect(await shownSerial(securePort, 'late.test')).toBe(expired.id);
  });
});

describe('the protocol', () => {
  test('is TLS 1.2 or 1.3 with modern ciphers, nothing older', async () => {
    const { securePort } = await prepare();
    const versionOf = async (options: Parameters<typeof openTls>[1]) => {
      const socket = await openTls(securePort, { servername: 'site.test', ...options });
      const found = [socket.getProtocol(), socket.getCipher().name];
      socket.destroy();
      return found;
    };
    expect((await versionOf({}))[0]).toBe('TLSv1.3');
    expect((await versionOf({ maxVersion: 'TLSv1.2' }))[0]).toBe('TLSv1.2');
    const older = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' } as const;
    await expect(versionOf(older)).rejects.toThrow();
    for (const ciphers of ['AES128-SHA', 'ECDHE-ECDSA-AES128-SHA', 'ECDHE-ECDSA-AES256-SHA384']) {
      await expect(versionOf({ maxVersion: 'TLSv1.2', ciphers })).rejects.toThrow();
    }
    const refused = await runOpenssl(securePort, ['-tls1_1', '-cipher', 'ALL:@SECLEVEL=0']);
    expect(refused).toMatch(/alert protocol version|no protocols available/);
  });

  test('takes the cheapest cipher, unless the client has no hardware for AES', async () => {
    const { securePort } = await prepare();
    const chosen = async (ciphers: string, maxVersion: 'TLSv1.2' | 'TLSv1.3') => {
      const socket = await openTls(securePort, { servername: 'site.test', ciphers, maxVersion });
      const { name } = socket.getCipher();
      socket.destroy();
      return name;
    };
    const [aes128, aes256, chacha] = [
      'TLS_AES_128_GCM_SHA256',
      'TLS_AES_256_GCM_SHA384',
      'TLS_CHACHA20_POLY1305_SHA256',
    ];
    expect(await chosen([aes256, chacha, aes128].join(':'), 'TLSv1.3')).toBe(aes128);
    expect(await chosen([chacha, aes256, aes128].join(':'), 'TLSv1.3')).toBe(chacha);
    const ofTls12 = ['AES256-GCM-SHA384', 'CHACHA20-POLY1305', 'AES128-GCM-SHA256'].map(
      (cipher) => `ECDHE-ECDSA-${cipher}`,
    );
    expect(await chosen(ofTls12.join(':'), 'TLSv1.2')).toBe('ECDHE-ECDSA-AES128-GCM-SHA256');
    expect(await chosen(ofTls12.toSorted().reverse().join(':'), 'TLSv1.2')).toBe(
      'ECDHE-ECDSA-CHACHA20-POLY1305',
    );
  });

  test('exchanges keys by curves that cost little, and safe from quantum computers where both sides can', async () => {
    const { securePort } = await prepare();
    const agreed = async (ecdhCurve: string, maxVersion: 'TLSv1.2' | 'TLSv1.3' = 'TLSv1.3') => {
      const socket = await openTls(securePort, { servername: 'site.test', maxVersion, ecdhCurve });
      const { name } = socket.getEphemeralKeyInfo() as { name: string };
      socket.destroy();
      return name;
    };
    expect(await agreed('X25519:X25519MLKEM768')).toBe('X25519MLKEM768');
    expect(await agreed('P-384:P-256:X25519')).toBe('X25519');
    expect(await agreed('P-384')).toBe('secp384r1');
    expect(await agreed('P-521:P-256', 'TLSv1.2')).toBe('prime256v1');
    for (const costly of ['P-521', 'X448', 'ffdhe2048', 'ffdhe3072']) {
      await expect(agreed(costly), costly).rejects.toThrow();
    }
  });

  test.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'resumes sessions in %s, even at another node',
    async (version) => {
      const { ports, securePort } = await prepare();
      // Another node may have the program in another folder.
      const command = process.argv;
      process.argv = [...command, 'elsewhere'];
      const other = await startSecureEdge(ports).finally(() => {
        process.argv = command;
      });
      try {
        for (const servername of ['site.test', 'a.sites.test']) {
          const options = { servername, minVersion: version, maxVersion: version } as const;
          const first = await openTls(securePort, options);
          const session = await new Promise<Buffer>((resolve) => {
            const held = version === 'TLSv1.2' ? first.getSession() : undefined;
            if (held) resolve(held);
            else first.once('session', resolve);
            first.write(requestText('/about', { Host: servername }));
            first.resume();
          });
          first.destroy();
          for (const port of [securePort, other.securePort]) {
            const again = await openTls(port, { ...options, session });
            expect([servername, again.isSessionReused()]).toEqual([servername, true]);
            again.destroy();
          }
        }
      } finally {
        await other.edge.close();
      }
    },
  );

  test('accepts no ticket of the day before', async () => {
    let now = Date.now();
    const { ports } = await prepare();
    const today = await startSecureEdge(ports, { now: () => now });
    now += 86_400_000;
    const tomorrow = await startSecureEdge(ports, { now: () => now });
    try {
      const first = await openTls(today.securePort, { servername: 'site.test', maxVersion: 'TLSv1.2' });
      const session = first.getSession();
      first.destroy();
      const again = await openTls(tomorrow.securePort, {
        servername: 'site.test',
        maxVersion: 'TLSv1.2',
        session,
      });
      expect(again.isSessionReused()).toBe(false);
      again.destroy();
    } finally {
      await today.edge.close();
      await tomorrow.edge.close();
    }
  });

  test('refuses to renegotiate', async () => {
    const { securePort } = await prepare();
    const socket = await openTls(securePort, { servername: 'site.test', maxVersion: 'TLSv1.2' });
    const error = await new Promise<Error | null>((resolve) => {
      socket.renegotiate({ rejectUnauthorized: false }, resolve);
      socket.once('error', resolve);
    });
    expect(error).not.toBeNull();
    socket.destroy();
  });

  test('cuts off a handshake that does not finish', async () => {
    const { securePort } = await prepare({ limits: { handshakeMs: 200 } });
    const silent = new RawConnection(securePort);
    const half = new RawConnection(securePort);
    half.send(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]));
    await Promise.all([silent.closed(), half.closed()]);
    expect(await shownSerial(securePort, 'site.test')).not.toBe('');
  });
});

describe('a server name', () => {
  test.each([
    ['with a NUL', Buffer.from('site\0test')],
    ['with a line feed', Buffer.from('site\ntest')],
    ['in Latin-1', Buffer.from('sit\u00e9.test', 'latin1')],
    ['that goes up', Buffer.from('../../tes')],
    ['that is an address', Buffer.from('127.0.0.1')],
    ['that is SQL', Buffer.from("' or 1=1-")],
  ])('%s does no harm', async (_, name) => {
    const { securePort, ports } = await prepare();
    ports.asked.length = 0;
    await sendServerName(securePort, name);
    expect(ports.asked.filter((asked) => asked.startsWith('certificate'))).toEqual(
      name.toString() === '127.0.0.1' ? ['certificate 127.0.0.1'] : [],
    );
    expect(await shownSerial(securePort, 'one.test')).not.toBe('');
  });

  test('of 300 characters does no harm', async () => {
    const { securePort, wildcard } = await prepare();
    const long = `${'a'.repeat(240)}.${'b'.repeat(59)}`;
    const shown = await shownSerial(securePort, long).catch(() => 'refused');
    expect(['refused', wildcard.id]).toContain(shown);
    expect(await shownSerial(securePort, 'one.test')).not.toBe('');
  });
});

/**
 * Sends a ClientHello whose server name is replaced by other bytes of the same length, and waits for the end.
 */
async function sendServerName(port: number, name: Buffer): Promise<void> {
  const placeholder = 'p'.repeat(name.length);
  const hello = await new Promise<Buffer>((resolve) => {
    const server = createServer((socket) => {
      socket.once('data', (chunk) => {
        resolve(chunk);
        socket.destroy();
        server.close();
      });
    });
    server.listen(0, '127.0.0.1', () => {
      const { port: own } = server.address() as { port: number };
      openTls(own, { servername: placeholder }).catch(() => {
        // It never responds: only its hello is needed.
      });
    });
  });
  const at = hello.indexOf(placeholder);
  expect(at).toBeGreaterThan(0);
  name.copy(hello, at);
  await new Promise<void>((resolve) => {
    const socket = connectPlain(port, '127.0.0.1', () => socket.write(hello));
    socket.on('error', () => {});
    // A ServerHello or an alert: either way it has been parsed.
    socket.once('data', () => socket.destroy());
    socket.once('close', () => resolve());
  });
}
