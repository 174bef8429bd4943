import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { createEdge } from '#server/edge/create-edge.ts';
import { pollEdgeChanges } from '#server/jobs/poll-edge-changes.ts';
import { encodeVersions } from '#server/services/deployments/encodings/encode-versions.ts';
import { rollbackSite } from '#server/services/deployments/rollback-site.ts';
import { createEdgePorts } from '#server/services/serving/edge-ports.ts';
import { createSite } from '#server/services/sites/create-site.ts';
import { deployTestFiles } from '#tests/support/app/deploy.ts';
import { jobContext } from '#tests/support/app/job-context.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { startTestS3Server } from '#tests/support/storage/s3-server.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** An app with a site and an edge in front of it; the edge learns of changes in the way given by `by`. */
async function prepare(by: 'event' | 'polling', environment: Record<string, string> = {}) {
  const app = await createTestApp({ environment });
  const { context } = await createTestPerson(app);
  const site = await createSite(context, { name: 'blog' });
  const ports = createEdgePorts(app);
  const loaded: string[] = [];
  const edge = createEdge({
    ports: {
      ...ports,
      loadVersion: (id) => {
        loaded.push(id);
        return ports.loadVersion(id);
      },
    },
    logger: app.logger,
    now: () => app.clock.now(),
  });
  const forget = (change: { site_id: string | null }) =>
    change.site_id && edge.invalidateSite(change.site_id);
  if (by === 'event') app.edgeChanges.subscribe(forget);
  else cleanups.push(await pollEdgeChanges(app, forget, 5));
  await new Promise<void>((resolve) => edge.server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => edge.close());
  const { port } = edge.server.address() as AddressInfo;
  const get = (path: string, label = 'blog', headers: Record<string, string> = {}) =>
    new Promise<{ status: number; encoding: string | undefined; body: Buffer }>((resolve, reject) => {
      const host = `${label}.sites.localhost`;
      request({ port, host: '127.0.0.1', path, headers: { ...headers, host } }, async (response) => {
        const body = await buffer(response);
        resolve({ status: response.statusCode ?? 0, encoding: response.headers['content-encoding'], body });
      })
        .on('error', reject)
        .end();
    });
  const deploy = (files: Record<string, string>) => deployTestFiles(context, site.id, files);
  /** Makes the copies, and sends requests until the edge knows them. */
  const getEncoded = async (path: string, encoding: 'br' | 'gzip') => {
    await encodeVersions(jobContext(app));
    return pollUntil(
      () => get(path, 'blog', { 'accept-encoding': encoding }),
      (response) => response.encoding === encoding,
    );
  };
  return { app, context, site, loaded, get, getEncoded, deploy };
}

describe('a deployed version', () => {
  it('is served at the live name immediately after the publish, at its preview forever, and not after a rollback', async () => {
    const { context, site, get, deploy } = await prepare('event');
    expect((await get('/')).status).toBe(404);
    const first = await deploy({ 'index.html': 'first', 'only-first.txt': 'x' });
    expect(String((await get('/')).body)).toBe('first');
    const second = await deploy({ 'index.html': 'second' });
    expect(String((await get('/')).body)).toBe('second');
    expect((await get('/only-first.txt')).status).toBe(404);
    expect(String((await get('/', `${first.version_id}--blog`)).body)).toBe('first');
    await rollbackSite(context, { site_id: site.id, version_id: first.version_id });
    expect(String((await get('/')).body)).toBe('first');
    expect((await get('/only-first.txt')).status).toBe(200);
    expect(String((await get('/', `${second.version_id}--blog`)).body)).toBe('second');
  });

  it('is served as it is, then compressed once copies are made, and by the rules of its files', async () => {
    const { loaded, get, getEncoded, deploy } = await prepare('event');
    const page = '<p>paragraph</p>\n'.repeat(500);
    const { version_id } = await deploy({ 'index.html': page, _redirects: '/old / 301\n' });
    // More than once, so that the response is ready in memory when the copies arrive.
    for (let visit = 0; visit < 3; visit += 1) {
      const early = await get('/', 'blog', { 'accept-encoding': 'gzip' });
      expect([early.encoding, String(early.body)]).toEqual([undefined, page]);
    }
    const packed = await getEncoded('/', 'gzip');
    expect(gunzipSync(packed.body).toString()).toBe(page);
    expect(brotliDecompressSync((await getEncoded('/', 'br')).body).toString()).toBe(page);
    expect(String((await get('/')).body)).toBe(page);
    expect((await get('/old')).status).toBe(301);
    // Its manifest was not loaded again for them.
    expect(loaded).toEqual([version_id]);
  });

  it('is compressed again after a copy has another size than the edge expects', async () => {
    const { app, get, deploy } = await prepare('event');
    const page = '<p>paragraph</p>\n'.repeat(500);
    await deploy({ 'index.html': page });
    await encodeVersions(jobContext(app));
    await app.db.updateTable('organization_blobs').set({ brotli_size: 5 }).execute();
    const early = await get('/', 'blog', { 'accept-encoding': 'br' });
    expect([early.encoding, String(early.body)]).toEqual([undefined, page]);
    const recorded = () =>
      app.db.selectFrom('organization_blobs').select('brotli_size').executeTakeFirstOrThrow();
    await pollUntil(recorded, ({ brotli_size }) => brotli_size !== 5);
    const packed = await pollUntil(
      () => {
        // A minute later the edge looks its hosts up again, and in another one it reads the copy again.
        app.clock.advance(61_000);
        return get('/', 'blog', { 'accept-encoding': 'br' });
      },
      ({ encoding }) => encoding === 'br',
      20,
    );
    expect(brotliDecompressSync(packed.body).toString()).toBe(page);
  });

  it('is also served by an edge of another process, which polls the change log', async () => {
    const { get, deploy } = await prepare('polling');
    for (const content of ['first', 'second', 'third']) {
      await deploy({ 'index.html': content });
      await expect.poll(async () => String((await get('/')).body), { timeout: 10_000 }).toBe(content);
    }
  });

  it('is served from an S3 engine like from a directory', async () => {
    const server = await startTestS3Server();
    cleanups.push(() => server.stop());
    const { get, getEncoded, deploy } = await prepare('event', { OBJECT_STORE_URL: server.url });
    const page = '<p>paragraph</p>\n'.repeat(500);
    await deploy({ 'index.html': page, 'big.bin': 'x'.repeat(3_000_000) });
    expect(String((await get('/')).body)).toBe(page);
    expect((await get('/big.bin')).body).toHaveLength(3_000_000);
    expect((await getEncoded('/', 'br')).encoding).toBe('br');
    expect(server.objects.size).toBeGreaterThanOrEqual(4);
  });
});
