import { afterEach, describe, expect, test } from 'vitest';
import type { EdgeHost } from '#server/edge/ports.ts';
import { ask } from './edge-client.ts';
import { MemoryPorts, memoryHandle, startEdge, type TestEdge } from './edge-fixture.ts';

let running: TestEdge | null = null;

afterEach(async () => {
  await running?.edge.close();
  running = null;
});

const script = 'assets/app.3f9a1c2b.js';

/** A site with version v1 live and v2 ready, and an edge that has served v1. */
async function servedSite(): Promise<{
  ports: MemoryPorts;
  port: number;
  edge: TestEdge['edge'];
  log: string[];
}> {
  const ports = new MemoryPorts();
  ports.addVersion('v1', { 'index.html': 'one', [script]: 'first script', 'page.html': 'page one' });
  ports.addVersion('v2', { 'index.html': 'two', 'other.html': 'new' }, 1_700_000_100_000);
  ports.point('site.test', 'v1', { siteId: 's' });
  ports.point('www.site.test', 'v1', { siteId: 's' });
  running = await startEdge(ports);
  const { port, edge, log } = running;
  expect((await ask(port, '/')).body.toString()).toBe('one');
  expect((await ask(port, '/', { Host: 'www.site.test' })).body.toString()).toBe('one');
  return { ports, port, edge, log };
}

function publish(ports: MemoryPorts, versionId: string): void {
  ports.point('site.test', versionId, { siteId: 's' });
  ports.point('www.site.test', versionId, { siteId: 's' });
}

describe('a publish', () => {
  test('is visible to the next request of every host of the site, and so is the rollback', async () => {
    const { ports, port, edge } = await servedSite();
    for (const [versionId, body] of [
      ['v2', 'two'],
      ['v1', 'one'],
      ['v2', 'two'],
    ] as const) {
      publish(ports, versionId);
      edge.invalidateSite('s');
      for (const Host of ['site.test', 'www.site.test', 'SITE.TEST:80']) {
        expect((await ask(port, '/', { Host })).body.toString()).toBe(body);
      }
    }
    publish(ports, 'v1');
    edge.invalidateHost('site.test');
    expect((await ask(port, '/')).body.toString()).toBe('one');
    expect((await ask(port, '/', { Host: 'www.site.test' })).body.toString()).toBe('two');
  });

  test('during a slow lookup is not hidden by the result of that lookup', async () => {
    const { ports, port, edge } = await servedSite();
    const responses: ((host: EdgeHost) => void)[] = [];
    const ask1 = ports.resolveHost.bind(ports);
    ports.resolveHost = () => new Promise((resolve) => responses.push(resolve));
    const old = await ask1('site.test');
    if (old === null || old.kind === 'redirect') throw new Error('the host is missing');
    edge.invalidateSite('s');
    const early = ask(port, '/');
    await expect.poll(() => responses.length).toBe(1);
    edge.invalidateSite('s');
    const late = ask(port, '/');
    await expect.poll(() => responses.length).toBe(2);
    responses[1]?.({ ...old, versionId: 'v2' });
    expect((await late).body.toString()).toBe('two');
    responses[0]?.(old);
    expect((await early).body.toString()).toBe('one');
    ports.resolveHost = async () => ({ ...old, versionId: 'v2' });
    expect((await ask(port, '/')).body.toString()).toBe('two');
  });

  test('never tears: while versions change, a page is completely one or completely the other', async () => {
    const { ports, port, edge } = await servedSite();
    let isDone = false;
    const publisher = (async () => {
      for (let round = 0; round < 100; round += 1) {
        publish(ports, round % 2 === 0 ? 'v2' : 'v1');
        edge.invalidateSite('s');
        await new Promise((resolve) => setImmediate(resolve));
      }
      isDone = true;
    })();
    const seen = new Set<string>();
    while (!isDone) {
      const { status, body, headers } = await ask(port, '/');
      expect(status).toBe(200);
      seen.add(`${body} ${headers['last-modified']}`);
    }
    await publisher;
    for (const response of seen) {
      expect(['one Tue, 14 Nov 2023 22:13:20 GMT', 'two Tue, 14 Nov 2023 22:15:00 GMT']).toContain(response);
    }
  });

  test('of a first version replaces the waiting page, a created host the unknown one', async () => {
    const { ports, port, edge } = await servedSite();
    ports.point('new.test', null, { siteId: 'n' });
    expect((await ask(port, '/', { Host: 'new.test' })).status).toBe(404);
    ports.point('new.test', 'v1', { siteId: 'n' });
    edge.invalidateSite('n');
    expect((await ask(port, '/', { Host: 'new.test' })).status).toBe(200);
    expect((await ask(port, '/', { Host: 'later.test' })).status).toBe(404);
    ports.point('later.test', 'v1', { siteId: 'n' });
    edge.invalidateHost('later.test');
    expect((await ask(port, '/', { Host: 'later.test' })).status).toBe(200);
  });
});

describe('an earlier version', () => {
  test('that was recently replaced still serves its fingerprinted files to open pages, and nothing else', async () => {
    const { ports, port, edge } = await servedSite();
    publish(ports, 'v2');
    ports.replaced.set('s', ['v1']);
    edge.invalidateSite('s');
    const skewed = await ask(port, `/${script}`);
    expect([skewed.status, skewed.body.toString()]).toEqual([200, 'first script']);
    expect(skewed.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect((await ask(port, `/${script}`, { 'If-None-Match': skewed.headers.etag ?? '' })).status).toBe(304);
    expect((await ask(port, '/page')).status).toBe(404);
  });

  test('that is older, or of another site, serves nothing', async () => {
    const { ports, port, edge } = await servedSite();
    publish(ports, 'v2');
    ports.replaced.set('another', ['v1']);
    edge.invalidateSite('s');
    expect((await ask(port, `/${script}`)).status).toBe(404);
  });

  test('is not searched for a preview', async () => {
    const { ports, port } = await servedSite();
    ports.point('preview.test', 'v2', { siteId: 's', kind: 'preview' });
    ports.replaced.set('s', ['v1']);
    expect((await ask(port, `/${script}`, { Host: 'preview.test' })).status).toBe(404);
  });
});

describe('when the rest of the product is down', () => {
  test('what is known is still served, even after a change was announced', async () => {
    const { ports, port, edge, log } = await servedSite();
    ports.isDown = true;
    publish(ports, 'v2');
    edge.invalidateSite('s');
    expect((await ask(port, '/')).body.toString()).toBe('one');
    expect((await ask(port, '/page')).body.toString()).toBe('page one');
    expect(log).toContain('a hostname could not be looked up');
    ports.isDown = false;
    edge.invalidateSite('s');
    expect((await ask(port, '/')).body.toString()).toBe('two');
  });

  test('an unknown host is told to come back, not that it does not exist', async () => {
    const { ports, port } = await servedSite();
    ports.point('second.test', 'v1');
    ports.isDown = true;
    const response = await ask(port, '/', { Host: 'second.test' });
    expect(response.status).toBe(503);
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
    expect(response.headers['cache-control']).toBe('no-store');
    ports.isDown = false;
    expect((await ask(port, '/', { Host: 'second.test' })).status).toBe(200);
  });

  test('a blob that cannot be read is a 503 for that file only', async () => {
    const { ports, port } = await servedSite();
    const sha256 = ports.versions.get('v1')?.files.get('page.html')?.sha256;
    const handle = ports.blobs.get(`${sha256} identity`);
    ports.blobs.delete(`${sha256} identity`);
    expect((await ask(port, '/page')).status).toBe(503);
    expect((await ask(port, '/')).status).toBe(200);
    if (handle !== undefined) ports.blobs.set(`${sha256} identity`, handle);
    expect((await ask(port, '/page')).status).toBe(200);
  });
});

test('a file that is damaged in the store is not served from then on, but reported, and is right once it is repaired', async () => {
  const ports = new MemoryPorts();
  const reported: string[] = [];
  const reportLostCopy = (sha256: string, encoding: string) => reported.push(`${sha256} ${encoding}`);
  ports.addVersion('v1', { 'small.bin': 'right' });
  ports.point('site.test', 'v1');
  running = await startEdge(Object.assign(ports, { reportLostCopy }));
  const { port } = running;
  const key = `${ports.versions.get('v1')?.files.get('small.bin')?.sha256} identity`;
  ports.blobs.set(key, () => memoryHandle(Buffer.from('wrong')));
  for (let visit = 0; visit < 3; visit += 1) expect((await ask(port, '/small.bin')).status).toBe(503);
  expect(reported).toEqual([key]);
  ports.blobs.set(key, () => memoryHandle(Buffer.from('right')));
  expect((await ask(port, '/small.bin')).body.toString()).toBe('right');
});

describe('calls to the rest of the product', () => {
  test('a hundred first visitors cost one lookup, one manifest and one read', async () => {
    const { ports, port } = await servedSite();
    ports.point('busy.test', 'v2', { siteId: 'b' });
    ports.asked.length = 0;
    const visits = Array.from({ length: 100 }, () => ask(port, '/other', { Host: 'busy.test' }));
    for (const { body } of await Promise.all(visits)) expect(body.toString()).toBe('new');
    expect(ports.asked.map((question) => question.split(' ')[0])).toEqual(['host', 'version', 'blob']);
  });

  test('a warm page costs none', async () => {
    const { ports, port } = await servedSite();
    ports.asked.length = 0;
    for (const via of ['fast', 'node'] as const) {
      for (let count = 0; count < 20; count += 1) await ask(port, '/', {}, { via });
    }
    expect(ports.asked).toEqual([]);
  });

  test('known hosts are refreshed after a minute, after the response', async () => {
    let now = Date.now();
    const ports = new MemoryPorts();
    ports.addVersion('v1', { 'index.html': 'one' });
    ports.addVersion('v2', { 'index.html': 'two' });
    ports.point('site.test', 'v1');
    running = await startEdge(ports, { now: () => now });
    const { port } = running;
    await ask(port, '/');
    ports.point('site.test', 'v2');
    expect((await ask(port, '/')).body.toString()).toBe('one');
    now += 61_000;
    expect((await ask(port, '/')).body.toString()).toBe('one');
    await expect.poll(async () => (await ask(port, '/')).body.toString()).toBe('two');
  });
});

test('the date in a response from memory is the date of the response', async () => {
  let now = Date.UTC(2026, 0, 1);
  const ports = new MemoryPorts();
  ports.addVersion('v1', { 'index.html': 'one' });
  ports.point('site.test', 'v1');
  running = await startEdge(ports, { now: () => now });
  const { port } = running;
  for (let count = 0; count < 3; count += 1) {
    const warm = await ask(port, '/');
    expect(warm.headers.date).toBe(new Date(now).toUTCString());
    const confirmed = await ask(port, '/', { 'If-None-Match': warm.headers.etag ?? '' });
    expect([confirmed.status, confirmed.headers.date]).toEqual([304, new Date(now).toUTCString()]);
    now += 1_000;
  }
});
