import { connect as connectPlain, createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { RawConnection, requestText } from './edge-client.ts';
import { openTls, runOpenssl, shownSerial, startSecureEdge } from './edge-secure-fixture.ts';
import { startTlsEdge, tlsAuthority } from './tls-edge.ts';

describe('the protocol', () => {
  test('is TLS 1.2 or 1.3 with modern ciphers, nothing older', async () => {
    const { securePort } = await startTlsEdge();
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
    const { securePort } = await startTlsEdge();
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
    const { securePort } = await startTlsEdge();
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
      const { ports, securePort } = await startTlsEdge();
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

  test('accepts a ticket for the name that it was issued for, also under a new certificate, and for no other', async () => {
    const { edge, ports, securePort } = await startTlsEdge();
    const options = { maxVersion: 'TLSv1.2' } as const;
    const first = await openTls(securePort, { servername: 'site.test', ...options });
    const session = first.getSession();
    first.destroy();
    const renewed = await tlsAuthority.issue(['site.test']);
    ports.certificates.set('site.test', renewed);
    edge.invalidateHost('site.test');
    await expect.poll(() => shownSerial(securePort, 'site.test')).toBe(renewed.id);
    const isResumedAt = async (servername: string) => {
      const again = await openTls(securePort, { servername, session, ...options });
      const isResumed = again.isSessionReused();
      again.destroy();
      return isResumed;
    };
    expect(await Promise.all(['site.test', 'a.sites.test', 'nobody.test'].map(isResumedAt))).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('accepts no ticket of the day before', async () => {
    let now = Date.now();
    const { ports } = await startTlsEdge();
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
    const { securePort } = await startTlsEdge();
    const socket = await openTls(securePort, { servername: 'site.test', maxVersion: 'TLSv1.2' });
    const error = await new Promise<Error | null>((resolve) => {
      socket.renegotiate({ rejectUnauthorized: false }, resolve);
      socket.once('error', resolve);
    });
    expect(error).not.toBeNull();
    socket.destroy();
  });

  test('cuts off a handshake that does not finish', async () => {
    const { securePort } = await startTlsEdge({ limits: { handshakeMs: 200 } });
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
    const { securePort, ports } = await startTlsEdge();
    ports.asked.length = 0;
    await sendServerName(securePort, name);
    expect(ports.asked.filter((asked) => asked.startsWith('certificate'))).toEqual(
      name.toString() === '127.0.0.1' ? ['certificate 127.0.0.1'] : [],
    );
    expect(await shownSerial(securePort, 'one.test')).not.toBe('');
  });

  test('of 300 characters does no harm', async () => {
    const { securePort, wildcard } = await startTlsEdge();
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
