import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { testOutgoing } from '#tests/support/app/test-outgoing.ts';
import { makeServerCertificate } from '#tests/support/server/server-certificate.ts';
import { systemClock } from '../clock.ts';
import { createAcmeTransport } from './acme-transport.ts';

const closings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0)) await close();
});

type TestServer = ReturnType<typeof createServer> | ReturnType<typeof createSecureServer>;

async function listen(server: TestServer): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closings.push(
    () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

async function serve(listener: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(createServer(listener))}/`;
}

/** A server with its own certificate. */
async function serveSecurely(): Promise<{ url: string; certificate: string }> {
  const { certificate, privateKey } = await makeServerCertificate(['127.0.0.1']);
  const server = createSecureServer({ cert: certificate, key: privateKey }, (_, response) =>
    response.end('{}'),
  );
  return { url: `https://127.0.0.1:${await listen(server)}/`, certificate };
}

const create = (requestMsMax?: number) =>
  createAcmeTransport({ clock: systemClock, extraRoots: null, outgoing: testOutgoing(), requestMsMax });

describe('the transport to an ACME server', () => {
  it('reads public documents', async () => {
    const url = await serve((_, response) => response.setHeader('retry-after', '60').end('{"a":1}'));
    expect(await create().readJson(url)).toEqual({ body: { a: 1 }, retryAfter: '60' });
  });

  it('gives up on a server that does not answer, or not completely', async () => {
    const silent = await serve(() => undefined);
    const reason = { kind: 'unavailable', message: expect.stringContaining('no answer in time') };
    await expect(create(50).readJson(silent)).rejects.toMatchObject(reason);
    const halting = await serve((_, response) => response.write('{"a":'));
    await expect(create(200).readJson(halting)).rejects.toMatchObject(reason);
  });

  it('gives up on a server that wants another protocol', async () => {
    const url = await serve((request) =>
      request.socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
      ),
    );
    await expect(create().readJson(url)).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('leaves a server alone for a while when it keeps failing to answer', async () => {
    let asked = 0;
    const silent = await serve(() => {
      asked += 1;
    });
    const transport = create(50);
    for (let times = 0; times < 8; times += 1) {
      await expect(transport.readJson(silent)).rejects.toMatchObject({ kind: 'unavailable' });
    }
    expect(asked).toBe(5);
    await expect(transport.readJson(silent)).rejects.toThrow('it has not answered recently');
  });

  it('gives up on an endless response', async () => {
    const url = await serve((_, response) => {
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', more);
      more();
    });
    await expect(create().readJson(url)).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'The authority’s answer is too large.',
    });
  });

  it('does not follow a redirect', async () => {
    let isReached = false;
    const elsewhere = await serve((_, response) => {
      isReached = true;
      response.end('{}');
    });
    const url = await serve((_, response) => response.writeHead(302, { location: elsewhere }).end());
    await expect(create().readJson(url)).rejects.toMatchObject({ kind: 'unavailable', status: 302 });
    expect(isReached).toBe(false);
  });

  it('says which host cannot be reached', async () => {
    const url = await serve(() => undefined);
    for (const close of closings.splice(0)) await close();
    await expect(create().readJson(url)).rejects.toMatchObject({
      kind: 'unavailable',
      message: `The authority cannot be reached: ${new URL(url).host}: ECONNREFUSED.`,
    });
  });

  it('trusts extra roots in addition to the usual ones, and no other', async () => {
    const [usual, extra, stranger] = [await serveSecurely(), await serveSecurely(), await serveSecurely()];
    const before = getCACertificates('default');
    setDefaultCACertificates([usual.certificate]);
    try {
      const transport = createAcmeTransport({
        ...{ clock: systemClock, extraRoots: extra.certificate },
        outgoing: testOutgoing(),
      });
      expect((await transport.readJson(extra.url)).body).toEqual({});
      expect((await transport.readJson(usual.url)).body).toEqual({});
      await expect(transport.readJson(stranger.url)).rejects.toMatchObject({ kind: 'unavailable' });
      await expect(create().readJson(extra.url)).rejects.toMatchObject({ kind: 'unavailable' });
    } finally {
      setDefaultCACertificates(before);
    }
  });

  it('retries when the server has closed a kept-alive connection', async () => {
    const used = new Set<unknown>();
    let closed = 0;
    const url = await serve((request, response) => {
      if (!used.has(request.socket)) {
        used.add(request.socket);
        response.end('{}');
        return;
      }
      closed += 1;
      request.socket.destroy();
    });
    for (let times = 0; times < 3; times += 1) expect((await create().readJson(url)).body).toEqual({});
    expect(closed).toBe(2);
  });

  it('treats a response that is not JSON as an outage', async () => {
    const url = await serve((_, response) => response.end('<html>'));
    await expect(create().readJson(url)).rejects.toMatchObject({ kind: 'unavailable' });
  });
});
