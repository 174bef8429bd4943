import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask } from './edge-client.ts';
import { examplePorts, page, picture } from './edge-example-site.ts';
import { memoryHandle, startEdge, type TestEdge } from './edge-fixture.ts';

const ports = examplePorts();
let running: TestEdge;

beforeAll(async () => {
  running = await startEdge(ports);
});

afterAll(() => running.edge.close());

test.each(['missing', 'of another length', 'unreadable'])(
  'a file whose encoded copy is %s is served unencoded, and the copy is reported',
  async (how) => {
    const own = examplePorts();
    const reported: string[] = [];
    const edge = await startEdge(
      Object.assign(own, {
        reportLostCopy: (sha256: string, encoding: string) => reported.push(`${sha256} ${encoding}`),
      }),
    );
    const lost = [...own.blobs.keys()].filter((key) => key.endsWith(' br'));
    for (const key of lost) {
      if (how === 'missing') own.blobs.delete(key);
      else if (how === 'unreadable')
        own.blobs.set(key, () => {
          throw new Error('EIO');
        });
      else own.blobs.set(key, () => memoryHandle(Buffer.from('short')));
    }
    for (let visit = 0; visit < 3; visit += 1) {
      const brotli = await ask(edge.port, '/', { 'Accept-Encoding': 'br' }, { via: 'fast' });
      expect([brotli.status, brotli.headers['content-encoding'], brotli.body.toString()]).toEqual([
        200,
        undefined,
        page,
      ]);
      const gzip = await ask(edge.port, '/', { 'Accept-Encoding': 'gzip, br' }, { via: 'node' });
      expect(gunzipSync(gzip.body).toString()).toBe(page);
    }
    expect(reported).toHaveLength(1);
    await edge.edge.close();
  },
);

test('a file whose own content is missing is answered with 503 and reported once', async () => {
  const own = examplePorts();
  const reported: string[] = [];
  const reportLostCopy = (sha256: string, encoding: string) => reported.push(`${sha256} ${encoding}`);
  const edge = await startEdge(Object.assign(own, { reportLostCopy }));
  const lost = [...own.blobs.keys()];
  for (const key of lost) own.blobs.delete(key);
  for (let visit = 0; visit < 3; visit += 1) {
    expect((await ask(edge.port, '/', {}, { via: 'fast' })).status).toBe(503);
  }
  expect(reported).toEqual([expect.stringMatching(/^[0-9a-f]{64} identity$/)]);
  await edge.edge.close();
});

describe.each(['fast', 'node'] as const)('over the %s path', (via) => {
  const get = (target: string, headers: Record<string, string> = {}, method = 'GET') =>
    ask(running.port, target, headers, { method, via });

  test('a page, a script and a picture arrive complete, typed and with their cache rules', async () => {
    const home = await get('/');
    expect(home.status).toBe(200);
    expect(home.body.toString()).toBe(page);
    expect(home.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-length': String(page.length),
      'last-modified': 'Tue, 14 Nov 2023 22:13:20 GMT',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      vary: 'Accept-Encoding',
    });
    expect(home.headers.etag).toMatch(/^"[0-9a-f]{32}"$/);
    expect(Date.parse(home.headers.date ?? '')).not.toBeNaN();
    expect(home.headers['x-robots-tag']).toBeUndefined();

    const app = await get('/assets/app.3f9a1c2b.js?v=1');
    expect(app.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(app.headers['content-type']).toBe('text/javascript; charset=utf-8');

    const image = await get('/picture.png');
    expect(image.body.equals(picture)).toBe(true);
    expect(image.headers.vary).toBeUndefined();
    expect((await get('/%C3%A9t%C3%A9.txt')).body.toString()).toBe('chaud');
    expect((await get('/empty.txt')).headers['content-length']).toBe('0');
  });

  test('each encoding has its own bytes and its own strong tag', async () => {
    const plain = await get('/');
    const brotli = await get('/', { 'Accept-Encoding': 'gzip, br' });
    const gzip = await get('/', { 'Accept-Encoding': 'gzip' });
    expect(brotli.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(brotli.body).toString()).toBe(page);
    expect(gzip.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(gzip.body).toString()).toBe(page);
    expect(new Set([plain, brotli, gzip].map((response) => response.headers.etag)).size).toBe(3);
    for (const { headers } of [plain, brotli, gzip]) expect(headers.vary).toBe('Accept-Encoding');
    const again = await get('/', {
      'Accept-Encoding': 'gzip, br',
      'If-None-Match': brotli.headers.etag ?? '',
    });
    expect(again.status).toBe(304);
    const other = await get('/', { 'Accept-Encoding': 'gzip', 'If-None-Match': brotli.headers.etag ?? '' });
    expect(other.status).toBe(200);
  });

  test('a current copy is confirmed without a body, and tags take precedence over dates', async () => {
    const { headers } = await get('/about');
    const confirmed = await get('/about', { 'If-None-Match': headers.etag ?? '' });
    expect(confirmed.status).toBe(304);
    expect(confirmed.body).toHaveLength(0);
    expect(confirmed.headers).toMatchObject({ etag: headers.etag, 'cache-control': 'public, max-age=60' });
    expect(confirmed.headers['content-length']).toBeUndefined();
    const since = headers['last-modified'] ?? '';
    expect((await get('/about', { 'If-Modified-Since': since })).status).toBe(304);
    expect((await get('/about', { 'If-None-Match': '"other"', 'If-Modified-Since': since })).status).toBe(
      200,
    );
    expect((await get('/about', { 'If-Match': '"other"' })).status).toBe(412);
  });

  test('HEAD returns what GET would, without the body', async () => {
    for (const target of ['/', '/picture.png', '/large.bin', '/nowhere', '/old', '/about.html']) {
      const { date: _, ...full } = (await get(target)).headers;
      const head = await get(target, {}, 'HEAD');
      expect(head.body).toHaveLength(0);
      expect(head.headers).toMatchObject(full);
    }
  });

  test.each(['/picture.png', '/large.bin'])(
    'a part of %s is sent when the client’s copy is current',
    async (target) => {
      const whole = (await get(target)).body;
      const part = await get(target, { Range: 'bytes=100-299', 'Accept-Encoding': 'br' });
      expect(part.status).toBe(206);
      expect(part.headers['content-range']).toBe(`bytes 100-299/${whole.length}`);
      expect(part.body.equals(whole.subarray(100, 300))).toBe(true);
      const tail = await get(target, { Range: 'bytes=-10', 'If-Range': part.headers.etag ?? '' });
      expect(tail.status).toBe(206);
      expect(tail.body.equals(whole.subarray(-10))).toBe(true);
      const changed = await get(target, { Range: 'bytes=0-9', 'If-Range': '"other"' });
      expect([changed.status, changed.body.length]).toEqual([200, whole.length]);
      const several = await get(target, { Range: 'bytes=0-9,20-29' });
      expect([several.status, several.body.length]).toEqual([200, whole.length]);
      const outside = await get(target, { Range: `bytes=${whole.length}-` });
      expect([outside.status, outside.headers['content-range']]).toEqual([416, `bytes */${whole.length}`]);
    },
  );

  test('a part of a compressible page is a part of its uncompressed form', async () => {
    const part = await get('/', { Range: 'bytes=0-14', 'Accept-Encoding': 'gzip, br' });
    expect(part.body.toString()).toBe('<!doctype html>');
    expect(part.headers['content-encoding']).toBeUndefined();
  });

  test('redirects lead where the rules and the clean addresses say, and can be undone', async () => {
    const old = await get('/old?x=1');
    expect([old.status, old.headers.location]).toEqual([302, '/about?x=1']);
    const away = await get('/away/a/b');
    expect([away.status, away.headers.location]).toEqual([308, 'https://example.org/a/b']);
    expect(away.headers['cache-control']).toBe('public, max-age=0, must-revalidate');
    const clean = await get('/about.html');
    expect([clean.status, clean.headers.location]).toEqual([308, '/about']);
  });

  test('a missing address responds with 404 and the site’s page, never cached, never 200', async () => {
    for (const target of ['/nowhere', '/assets/gone.js', '/assets/gone.4a5b6c7d.js']) {
      const response = await get(target);
      expect(response.status).toBe(404);
      expect(response.body.toString()).toBe('<p>Lost</p>');
      expect(response.headers).toMatchObject({ 'cache-control': 'no-cache', 'x-frame-options': 'DENY' });
      expect(response.headers.etag).toBeUndefined();
    }
  });

  test('unsafe addresses are refused', async () => {
    for (const target of ['/../x', '/%2e%2e/x', '/a%00', '/a%5cb', '//evil.example', '/a%2fb', '/%zz']) {
      expect((await get(target)).status).toBe(400);
    }
    expect((await get('/_headers')).status).toBe(404);
    expect((await get('/_redirects')).status).toBe(404);
  });

  test('other methods get the list of supported ones', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'PROPFIND']) {
      const response = await get('/', {}, method);
      expect([response.status, response.headers.allow]).toEqual([405, 'GET, HEAD']);
    }
  });

  test('a host is found whatever its case, with a port and with a trailing dot', async () => {
    for (const Host of ['SITE.Test', 'site.test:8080', 'site.test.', 'Site.Test.:80']) {
      expect((await get('/about', { Host })).status).toBe(200);
    }
  });

  test('an unknown host and a site without a deployment say so in the visitor’s language', async () => {
    const unknown = await get('/', { Host: 'nobody.test' });
    expect(unknown.status).toBe(404);
    expect(unknown.body.toString()).toContain('There is no site at this address');
    expect(unknown.headers['cache-control']).toBe('no-store');
    const inconnu = await get('/', { Host: 'nobody.test', 'Accept-Language': 'fr-CA,fr;q=0.9,en;q=0.5' });
    expect(inconnu.body.toString()).toContain('<html lang="fr">');
    expect(inconnu.body.toString()).toContain('aucun site');
    const empty = await get('/', { Host: 'new.test', 'Accept-Language': 'fr' });
    expect(empty.status).toBe(404);
    expect(empty.body.toString()).toContain('Rien n’a encore été déployé');
    expect((await get('/', { Host: 'bad host' })).status).toBe(400);
  });

  test('a preview is the same site, hidden from search engines', async () => {
    for (const target of ['/', '/about', '/nowhere', '/old']) {
      const response = await get(target, { Host: 'preview.test' });
      expect(response.headers['x-robots-tag']).toBe('noindex');
    }
  });
});

test('the fast path and Node give the same response, cold and warm', async () => {
  const requests: [string, Record<string, string>][] = [
    ['/', {}],
    ['/', { 'Accept-Encoding': 'br' }],
    ['/about', { 'If-None-Match': '*' }],
    ['/picture.png', { Range: 'bytes=5-' }],
    ['/large.bin', {}],
    ['/old', {}],
    ['/nowhere', {}],
    ['/', { Host: 'nobody.test' }],
  ];
  for (const [target, headers] of requests) {
    const responses = [];
    for (const via of ['fast', 'node', 'fast'] as const) {
      const { status, headers: got, body } = await ask(running.port, target, headers, { via });
      const { date: _date, connection: _connection, 'keep-alive': _keepAlive, ...rest } = got;
      responses.push({ status, rest, body: body.toString('base64') });
    }
    expect(responses[1]).toEqual(responses[0]);
    expect(responses[2]).toEqual(responses[0]);
  }
});

test('metering counts every response, with the address of its file, and none for an unknown host', async () => {
  const expected: [string, Record<string, string>, object][] = [
    ['/about', {}, { path: '/about', status: 200, isCacheHit: true }],
    ['/about', { 'If-None-Match': '*' }, { path: '/about', status: 304, isCacheHit: true }],
    ['/large.bin', {}, { path: '/large.bin', status: 200, isCacheHit: false }],
    ['/large.bin', { Range: 'bytes=0-9' }, { path: '/large.bin', status: 206 }],
    ['/large.bin', { Range: 'bytes=9999999-' }, { path: null, status: 416 }],
    ['/%C3%A9t%C3%A9.txt?who=me', {}, { path: '/été.txt', status: 200 }],
    ['/old', {}, { path: null, status: 302, isCacheHit: true }],
    ['/nowhere/at/all', {}, { path: null, status: 404 }],
    ['/%00', {}, { path: null, status: 400 }],
  ];
  for (const via of ['fast', 'node'] as const) {
    await ask(running.port, '/about', {}, { via });
    for (const [target, headers, record] of expected) {
      const before = ports.records.length;
      await ask(running.port, target, headers, { via });
      await expect.poll(() => ports.records.length).toBe(before + 1);
      expect(ports.records.at(-1)).toMatchObject({ ...record, hostname: 'site.test', isRefused: false });
    }
    const before = ports.records.length;
    await ask(running.port, '/', { Host: 'nobody.test' }, { via });
    await ask(running.port, '/', { Host: 'new.test' }, { via });
    await expect.poll(() => ports.records.length).toBe(before + 1);
    expect(ports.records.at(-1)).toMatchObject({ hostname: 'new.test', status: 404, path: null });
  }
});
