import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeTemporaryFolder } from '#tests/support/temporary-folder.ts';
import { RawConnection, requestText } from './edge-client.ts';
import { large, page, picture } from './edge-example-site.ts';
import {
  askHttp2,
  openHttp2,
  openTls,
  runOpenssl,
  runProgram,
  shownSerial,
  startSecureEdge,
} from './edge-secure-fixture.ts';
import { startTlsEdge, tlsAuthority } from './tls-edge.ts';

/** A raw connection over TLS. */
async function rawTls(port: number, servername = 'site.test'): Promise<RawConnection> {
  return new RawConnection(await openTls(port, { servername, ALPNProtocols: ['http/1.1'] }));
}

describe('a site over https', () => {
  test('serves curl in HTTP/1.1 and HTTP/2, with a certificate that it verifies', async () => {
    const { securePort } = await startTlsEdge();
    const root = join(await makeTemporaryFolder({ 'root.pem': tlsAuthority.root }), 'root.pem');
    const curl = (protocol: string) =>
      runProgram('curl', [
        ...['--silent', '--show-error', protocol, '--cacert', root],
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
    const { securePort } = await startTlsEdge();
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
    const { securePort } = await startTlsEdge();
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
    const { securePort } = await startTlsEdge();
    for (const target of ['/about', '/large.bin']) {
      const asked = requestText(target, { Connection: 'close' });
      const heard = await runOpenssl(securePort, ['-servername', 'site.test', '-ign_eof'], asked);
      expect(heard).toContain(target === '/about' ? '<p>About</p>' : large.toString());
      expect(heard).toContain('Connection: close');
      expect(heard).not.toContain('unexpected eof');
    }
  });

  test('responds to a client that ends its side after a request', async () => {
    const { securePort } = await startTlsEdge();
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
    const { securePort, own, wildcard, both } = await startTlsEdge();
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
    const { securePort, ports, edge, wildcard } = await startTlsEdge();
    await edge.close();
    ports.certificates.delete('*.sites.test');
    const later = await startSecureEdge(ports);
    const { securePort: port } = later;
    expect(port).not.toBe(securePort);
    const before = await shownSerial(port);
    expect(before).not.toBe(wildcard.id);
    ports.certificates.set('*.sites.test', wildcard);
    later.edge.invalidateHost('*.sites.test');
    await expect.poll(() => shownSerial(port)).toBe(wildcard.id);
    expect(await shownSerial(port, 'a.sites.test')).toBe(wildcard.id);
  });

  test('is replaced without dropping what is open: new handshakes get the new one', async () => {
    const { securePort, ports, edge, own } = await startTlsEdge();
    const session = await openHttp2(securePort, 'site.test');
    const old = await rawTls(securePort);
    const renewed = await tlsAuthority.issue(['site.test']);
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
    const { securePort, ports } = await startTlsEdge();
    ports.asked.length = 0;
    await Promise.all(Array.from({ length: 30 }, () => shownSerial(securePort, 'one.test')));
    expect(ports.asked).toEqual(['certificate one.test']);
  });

  test('stays known when the database is down, even after a change was announced', async () => {
    const { securePort, ports, edge, own, wildcard } = await startTlsEdge();
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
    const { securePort, own, wildcard, both } = await startTlsEdge({
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
    const { securePort, ports, own, wildcard, both, log } = await startTlsEdge();
    ports.certificates.set('broken.test', { ...own, id: 'broken', privateKey: both.privateKey });
    expect(await shownSerial(securePort, 'broken.test')).toBe(wildcard.id);
    expect(log).toContain('a certificate cannot be used');
  });

  test('is still shown after it has expired', async () => {
    const { securePort, ports } = await startTlsEdge();
    const expired = await tlsAuthority.issue(['late.test'], Date.now() - 1_000);
    ports.certificates.set('late.test', expired);
    expect(await shownSerial(securePort, 'late.test')).toBe(expired.id);
  });
});
