import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EdgeObserver } from '#server/edge/observer.ts';
import { ask, RawConnection, requestText } from './edge-client.ts';
import { examplePorts, large, page, picture } from './edge-example-site.ts';
import { startEdge, type TestEdge } from './edge-fixture.ts';

let running: TestEdge;

beforeAll(async () => {
  running = await startEdge(examplePorts());
});

afterAll(() => running.edge.close());

describe('one connection', () => {
  test('serves many requests in order, pipelined and mixed', async () => {
    const connection = new RawConnection(running.port);
    const targets = ['/about', '/large.bin', '/', '/nowhere', '/picture.png', '/about', '/large.bin', '/old'];
    connection.send(targets.map((target) => requestText(target)).join(''));
    const lengths = [];
    for (const _ of targets) lengths.push((await connection.response()).body.length);
    expect(lengths).toEqual([12, large.length, page.length, 11, picture.length, 12, large.length, 0]);
    connection.close();
  });

  test('loses nothing when it leaves the fast path in the middle', async () => {
    const connection = new RawConnection(running.port);
    const plain = requestText('/about');
    connection.send(
      plain +
        requestText('/large.bin') +
        requestText('/picture.png', { Connection: 'keep-alive, x' }) +
        plain,
    );
    const lengths = [];
    for (let count = 0; count < 4; count += 1) lengths.push((await connection.response()).body.length);
    expect(lengths).toEqual([12, large.length, picture.length, 12]);
    connection.send(plain);
    expect((await connection.response()).status).toBe(200);
    connection.close();
  });

  test.each([
    ['known pages', requestText('/about'), 200],
    ['unknown hosts', requestText('/', { Host: 'unknown.test' }), 404],
  ])(
    'that asks for many %s at once does not make another wait for all of them',
    async (_, request, status) => {
      const targets: string[] = [];
      const observer: EdgeObserver = { answered: ({ target }) => void targets.push(target) };
      const { edge, port } = await startEdge(examplePorts(), { observer });
      const [greedy, other] = [new RawConnection(port), new RawConnection(port)];
      for (const connection of [greedy, other]) {
        connection.send(requestText('/about'));
        await connection.response();
      }
      targets.length = 0;
      const requests = Array.from({ length: 1_000 }, (_, at) => request.replace('unknown', `unknown-${at}`));
      greedy.send(requests.join(''));
      other.send(requestText('/picture.png'));
      await other.response();
      expect(targets.indexOf('/picture.png')).toBeLessThan(100);
      for (const _ of requests) expect((await greedy.response()).status).toBe(status);
      for (const connection of [greedy, other]) connection.close();
      await edge.close();
    },
  );

  test('that sends many unusual requests ahead gets some responses, the last of which says that it ends', async () => {
    const connection = new RawConnection(running.port);
    connection.send(requestText('/about', { Connection: 'keep-alive, x' }).repeat(100));
    const statuses: (string | undefined)[] = [];
    do {
      const { status, headers } = await connection.response();
      expect(status).toBe(200);
      statuses.push(headers.connection);
    } while (statuses.at(-1) !== 'close');
    expect(statuses).toHaveLength(32);
    expect(await connection.closed()).toHaveLength(0);
  });

  test('may send any number of unusual requests that wait for their responses', async () => {
    const connection = new RawConnection(running.port);
    for (let count = 0; count < 100; count += 1) {
      connection.send(requestText('/about', { Connection: 'keep-alive, x' }));
      expect((await connection.response()).status).toBe(200);
    }
    connection.close();
  });

  test('keeps what it sent while it waits, whatever other connections send meanwhile', async () => {
    const slow = new RawConnection(running.port);
    slow.socket.pause();
    const targets = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? '/large.bin' : '/picture.png'));
    slow.send(targets.map((target) => requestText(target)).join(''));
    for (let count = 0; count < 20; count += 1) {
      const other = new RawConnection(running.port);
      other.send(requestText('/about').repeat(50));
      for (let at = 0; at < 50; at += 1) expect((await other.response()).body).toHaveLength(12);
      other.close();
    }
    slow.socket.resume();
    for (const target of targets) {
      const expected = target === '/large.bin' ? large : picture;
      expect((await slow.response()).body.equals(Buffer.from(expected))).toBe(true);
    }
    slow.close();
  });

  test('may split a request anywhere', async () => {
    const text = requestText('/about', { 'Accept-Encoding': 'br' });
    for (let cut = 1; cut < text.length; cut += 1) {
      const connection = new RawConnection(running.port);
      connection.send(text.slice(0, cut));
      await new Promise((resolve) => setImmediate(resolve));
      connection.send(text.slice(cut));
      expect((await connection.response()).body.toString()).toBe('<p>About</p>');
      connection.close();
    }
  });

  test('that ends its side after a request is answered before it closes', async () => {
    for (const target of ['/about', '/large.bin']) {
      const connection = new RawConnection(running.port);
      connection.send(requestText(target));
      connection.socket.end();
      expect((await connection.response()).status).toBe(200);
      expect(await connection.closed()).toHaveLength(0);
    }
  });

  test.each([
    ['/about', {}],
    ['/about', { 'If-None-Match': '*' }],
    ['/picture.png', { Range: 'bytes=5-' }],
    ['/large.bin', {}],
    ['/old', {}],
    ['/nowhere', {}],
    ['/empty.txt', {}],
  ])(
    'that asks for %s as the last thing is answered as ever, told so, and closed',
    async (target, headers) => {
      const usual = await ask(running.port, target, headers);
      expect(usual.headers.connection).toBe(undefined);
      // Twice: the second time from memory.
      for (let count = 0; count < 2; count += 1) {
        const connection = new RawConnection(running.port);
        connection.send(requestText('/about') + requestText(target, { ...headers, Connection: 'close' }));
        connection.send(requestText('/about').repeat(3));
        expect((await connection.response()).headers.connection).toBe(undefined);
        const { connection: told, date: _, ...rest } = (await connection.response()).headers;
        const { date: __, ...usualHeaders } = usual.headers;
        expect([told, rest]).toEqual(['close', usualHeaders]);
        expect(await connection.closed()).toHaveLength(0);
      }
    },
  );

  test.each([
    ['two hosts', 'GET / HTTP/1.1\r\nHost: site.test\r\nHost: other.test\r\n\r\n'],
    ['no host', 'GET / HTTP/1.1\r\nAccept: x\r\n\r\n'],
    ['a bare line feed', 'GET / HTTP/1.1\nHost: site.test\n\n'],
    ['a space before the colon', 'GET / HTTP/1.1\r\nHost : site.test\r\n\r\n'],
    ['a control character', 'GET / HTTP/1.1\r\nHost: site.test\r\nX-A: \u0001\r\n\r\n'],
    [
      'length and chunks',
      'GET / HTTP/1.1\r\nHost: site.test\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    ],
    ['no HTTP at all', '\u0016\u0003\u0001\u0000nonsense'],
    ['an oversized head', `GET / HTTP/1.1\r\nHost: site.test\r\nX-A: ${'a'.repeat(40_000)}\r\n\r\n`],
  ])('with %s is refused and never reaches a second request', async (_, text) => {
    const connection = new RawConnection(running.port);
    connection.send(text);
    const { status } = await connection.response();
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    connection.close();
  });

  test('with a body is answered and closed, and the body is not treated as a second request', async () => {
    const connection = new RawConnection(running.port);
    const inner = requestText('/picture.png');
    connection.send(`${requestText('/about', { 'Content-Length': String(inner.length) })}${inner}`);
    const { status, headers } = await connection.response();
    expect([status, headers.connection]).toEqual([200, 'close']);
    expect(await connection.closed()).toHaveLength(0);
  });

  test('with a body is the last of its connection: what follows is neither answered nor counted', async () => {
    const targets: string[] = [];
    const observer: EdgeObserver = { answered: ({ target }) => void targets.push(target) };
    const { edge, port } = await startEdge(examplePorts(), { observer });
    const connection = new RawConnection(port);
    const chunked = requestText('/about', { 'Transfer-Encoding': 'chunked' });
    connection.send(`${chunked}1\r\nx\r\n0\r\n\r\n${requestText('/picture.png').repeat(3)}`);
    expect((await connection.response()).headers.connection).toBe('close');
    expect(await connection.closed()).toHaveLength(0);
    expect(targets).toEqual(['/about']);
    await edge.close();
  });

  test('for a tunnel is refused, and never in place of the response before', async () => {
    const tunnel = 'CONNECT site.test:443 HTTP/1.1\r\nHost: site.test\r\n\r\n';
    const alone = new RawConnection(running.port);
    alone.send(tunnel);
    const { status, headers } = await alone.response();
    expect([status, headers.allow, headers.connection]).toEqual([405, 'GET, HEAD', 'close']);
    expect(await alone.closed()).toHaveLength(0);
    const behind = new RawConnection(running.port);
    behind.send(requestText('/large.bin', { Connection: 'keep-alive, x' }) + tunnel);
    await expect(behind.response()).rejects.toThrow();
  });

  test('in HTTP/1.0 is answered and closed', async () => {
    const connection = new RawConnection(running.port);
    connection.send('GET /about HTTP/1.0\r\nHost: site.test\r\n\r\n');
    expect((await connection.response()).body.toString()).toBe('<p>About</p>');
    await connection.closed();
  });

  test('with an absolute target gets that site', async () => {
    const connection = new RawConnection(running.port);
    connection.send('GET http://site.test/about HTTP/1.1\r\nHost: nobody.test\r\n\r\n');
    expect((await connection.response()).body.toString()).toBe('<p>About</p>');
    connection.close();
  });
});
