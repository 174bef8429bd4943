import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { blobName } from '#server/store/blob-store.ts';
import { countTurns } from '#tests/support/app/count-turns.ts';
import { deployTestFiles, sha256Of, uploadTestVersion } from '#tests/support/app/deploy.ts';
import { jobContext } from '#tests/support/app/job-context.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { encodeVersions } from '../deployments/encodings/encode-versions.ts';
import { rollbackSite } from '../deployments/rollback-site.ts';
import { previewLabel } from '../deployments/rules.ts';
import { createSite } from '../sites/create-site.ts';
import { deleteSite } from '../sites/delete-site.ts';
import { restoreSite } from '../sites/restore-site.ts';
import { updateSite } from '../sites/update-site.ts';
import { createEdgePorts } from './edge-ports.ts';

const DAY = 24 * 60 * 60 * 1000;
/** Platform hosts belong to no endpoint, and answer over http and https alike. */
const ofPlatform = {
  endpointId: null,
  isHttpsOnly: false,
  strictTransportSeconds: 0,
  isSuspended: false,
  meter: null,
};

async function prepare(name = 'blog') {
  const app = await createTestApp();
  const { context } = await createTestPerson(app);
  const site = await createSite(context, { name });
  return { app, context, site, ports: createEdgePorts(app) };
}

describe('what the edge learns about a host', () => {
  it('a site points at nothing, then at its current version', async () => {
    const { context, site, ports } = await prepare();
    const host = { ...ofPlatform, kind: 'site', siteId: site.id, versionId: null, spaFallback: false };
    expect(await ports.resolveHost('blog.sites.localhost')).toEqual(host);
    const { version_id } = await deployTestFiles(context, site.id, { 'index.html': 'x' });
    await updateSite(context, { site_id: site.id, spa_fallback: true });
    expect(await ports.resolveHost('blog.sites.localhost')).toEqual({
      ...host,
      versionId: version_id,
      spaFallback: true,
    });
  });

  it('a preview points at its version, even when its name had to be cut', async () => {
    const name = 'x'.repeat(63);
    const { context, site, ports } = await prepare(name);
    const { version_id } = await deployTestFiles(context, site.id, { 'index.html': '1' });
    await deployTestFiles(context, site.id, { 'index.html': '2' });
    const label = previewLabel(version_id, name);
    expect(await ports.resolveHost(`${label}.sites.localhost`)).toEqual({
      ...ofPlatform,
      kind: 'preview',
      siteId: site.id,
      versionId: version_id,
      spaFallback: false,
    });
  });

  it('nothing else resolves', async () => {
    const { context, site, ports } = await prepare();
    const { version_id } = await deployTestFiles(context, site.id, { 'index.html': '1' });
    const open = await uploadTestVersion(context, site.id, { 'index.html': '2' });
    for (const host of [
      'sites.localhost',
      'unknown.sites.localhost',
      'a.blog.sites.localhost',
      'blog.example.ca',
      'blogsites.localhost',
      `${open}--blog.sites.localhost`,
      `${version_id}--other.sites.localhost`,
      `${version_id}--.sites.localhost`,
      `${version_id}.sites.localhost`,
    ]) {
      expect(await ports.resolveHost(host), host).toBeNull();
    }
  });

  it('a deleted site is gone with its previews and comes back when restored', async () => {
    const { context, site, ports } = await prepare();
    const { version_id } = await deployTestFiles(context, site.id, { 'index.html': '1' });
    const hosts = ['blog.sites.localhost', `${version_id}--blog.sites.localhost`];
    await deleteSite(context, { site_id: site.id });
    for (const host of hosts) expect(await ports.resolveHost(host)).toBeNull();
    await restoreSite(context, { site_id: site.id });
    for (const host of hosts) expect(await ports.resolveHost(host)).toMatchObject({ versionId: version_id });
  });
});

describe('what the edge learns about a version', () => {
  it('its files with their encodings, and its rules', async () => {
    const { app, context, site, ports } = await prepare();
    const text = 'a'.repeat(5000);
    const { version_id } = await deployTestFiles(context, site.id, {
      'index.html': text,
      'é.png': 'png',
      _redirects: '/a /b 302\n',
      _headers: '/*\n  X-Test: 1\n',
    });
    await encodeVersions(jobContext(app));
    const version = await ports.loadVersion(version_id);
    expect(version).toMatchObject({
      id: version_id,
      sealedAt: app.clock.now(),
      redirects: [{ from: '/a', to: '/b', status: 302 }],
      headers: [{ pattern: '/*', operations: [{ value: '1' }] }],
    });
    expect(version?.files.get('é.png')).toEqual({
      sha256: sha256Of('png'),
      size: 3,
      contentType: 'image/png',
      brotliSize: null,
      gzipSize: null,
    });
    const page = version?.files.get('index.html');
    const brotli = await ports.openBlob(sha256Of(text), 'br');
    expect(page).toMatchObject({
      size: 5000,
      contentType: 'text/html; charset=utf-8',
      brotliSize: brotli?.size,
    });
    await brotli?.close();
  });

  it('a large manifest is read in slices, and other work runs in between', async () => {
    const { app, context, site, ports } = await prepare();
    const { version_id } = await deployTestFiles(context, site.id, { 'index.html': '1' });
    const paths = Array.from({ length: 2_999 }, (_, at) => `é/${String(at).padStart(5, '0')}.txt`);
    for (let start = 0; start < paths.length; start += 500) {
      const rows = paths.slice(start, start + 500).map((path) => ({
        ...{ version_id, path, sha256: sha256Of('1'), size: 1, content_type: 'text/plain' },
      }));
      await app.db.insertInto('version_files').values(rows).execute();
    }
    const { result, turns } = await countTurns(() => ports.loadVersion(version_id));
    expect(result?.files.size).toBe(3_000);
    for (const path of ['index.html', ...paths]) expect(result?.files.has(path), path).toBe(true);
    expect(turns).toBeGreaterThanOrEqual(3);
  });

  it('an open or unknown version is nothing', async () => {
    const { context, site, ports } = await prepare();
    const open = await uploadTestVersion(context, site.id, { 'index.html': '2' });
    expect(await ports.loadVersion(open)).toBeNull();
    expect(await ports.loadVersion('nothing')).toBeNull();
    expect(await ports.openBlob('0'.repeat(64), 'identity')).toBeNull();
  });

  it('bytes are returned whole, in part, and by position', async () => {
    const { context, site, ports } = await prepare();
    await deployTestFiles(context, site.id, { 'a.txt': '0123456789' });
    const blob = await ports.openBlob(sha256Of('0123456789'), 'identity');
    if (!blob) throw new Error('the blob is there');
    expect(blob).toMatchObject({ size: 10, isLocal: true });
    expect(String(await buffer(blob.stream(2, 5)))).toBe('2345');
    const target = new Uint8Array(20);
    expect(await blob.read(target, 3, 17, 4)).toBe(6);
    expect(Buffer.from(target.subarray(3, 9)).toString()).toBe('456789');
    expect(await blob.read(target, 0, 5, 10)).toBe(0);
    await blob.close();
  });
});

describe('versions whose files stay reachable for a week', () => {
  it('are those that another version has replaced, newest first', async () => {
    const { app, context, site, ports } = await prepare();
    const ids: string[] = [];
    for (const content of ['1', '2', '3']) {
      ids.push((await deployTestFiles(context, site.id, { 'index.html': content })).version_id);
      app.clock.advance(DAY);
    }
    expect(await ports.findReplacedVersions(site.id)).toEqual([ids[1], ids[0]]);
    app.clock.advance(5 * DAY);
    expect(await ports.findReplacedVersions(site.id)).toEqual([ids[1]]);
  });

  it('are also those that a rollback has reverted, and never the current one', async () => {
    const { context, site, ports } = await prepare();
    const first = await deployTestFiles(context, site.id, { 'index.html': '1' });
    const second = await deployTestFiles(context, site.id, { 'index.html': '2' });
    await rollbackSite(context, { site_id: site.id, version_id: first.version_id });
    expect(await ports.findReplacedVersions(site.id)).toEqual([second.version_id]);
  });
});

describe('an encoded copy that is lost', () => {
  it('is made again once the edge has missed it', async () => {
    const { app, context, site, ports } = await prepare();
    const text = 'body { color: red }\n'.repeat(500);
    await deployTestFiles(context, site.id, { 'a.css': text });
    await encodeVersions(jobContext(app));
    const sha256 = sha256Of(text);
    await rm(join(app.config.dataDir, 'blobs', blobName(sha256, 'br')));
    expect(await ports.openBlob(sha256, 'br')).toBeNull();
    ports.reportLostCopy?.(sha256, 'br');
    const handle = await pollUntil(
      () => ports.openBlob(sha256, 'br'),
      (found) => found !== null,
    );
    const { brotli_size } = await app.db
      .selectFrom('organization_blobs')
      .select('brotli_size')
      .executeTakeFirstOrThrow();
    expect(handle?.size).toBe(brotli_size);
    await handle?.close();
  });
});
