import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { App, OrganizationContext } from '#server/context.ts';
import type { EdgeFile } from '#server/edge/ports.ts';
import type { BlobEncoding, BlobStore } from '#server/store/blob-store.ts';
import { deployTestFiles, sha256Of, type TestFiles } from '#tests/support/app/deploy.ts';
import { jobContext } from '#tests/support/app/job-context.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { createEdgePorts } from '../../serving/edge-ports.ts';
import { createSite } from '../../sites/create-site.ts';
import { deleteSite } from '../../sites/delete-site.ts';
import { listStuckWork } from '../../stuck-work/list-stuck-work.ts';
import { encodeVersions } from './encode-versions.ts';
import { PORTION_BLOBS } from './encoding-portion.ts';

/** What an app did with its store: `put <encoding> <hash>`, `open <encoding> <hash>` and `settle`. */
type StoreCalls = string[];

/** An app whose store logs its calls, and fails when `fault` says so. */
async function prepare(fault: (call: string) => Error | null | Promise<null> = () => null) {
  const original = await createTestApp();
  const calls: StoreCalls = [];
  const note = async (call: string) => {
    calls.push(call);
    const error = await fault(call);
    if (error) throw error;
  };
  const blobs: BlobStore = Object.assign(Object.create(original.blobs), {
    put: async (...[sha256, encoding, ...rest]: Parameters<BlobStore['put']>) => {
      await note(`put ${encoding} ${sha256}`);
      await original.blobs.put(sha256, encoding, ...rest);
    },
    open: async (sha256: string, encoding: BlobEncoding) => {
      await note(`open ${encoding} ${sha256}`);
      return original.blobs.open(sha256, encoding);
    },
    settle: async () => {
      await note('settle');
      await original.blobs.settle();
    },
    check: async () => {
      await note('check');
      await original.blobs.check();
    },
  });
  const app = { ...original, blobs };
  const newSite = async (name: string, owner?: OrganizationContext) => {
    const context = owner ?? (await createTestPerson(app)).context;
    const site = await createSite(context, { name });
    const deploy = (files: TestFiles) => deployTestFiles(context, site.id, files);
    return { context, site, deploy };
  };
  const encode = async () => {
    calls.length = 0;
    return encodeVersions(jobContext(app));
  };
  return { app, calls, encode, newSite, ports: createEdgePorts(app) };
}

const text = (name: string) => `${name}: ${'words and words '.repeat(100)}`;

/** Different texts by path, e.g. `a/0007.txt`. */
function texts(count: number, folder: string): Record<string, string> {
  const entries = Array.from({ length: count }, (_, at) => {
    const path = `${folder}/${String(at).padStart(4, '0')}.txt`;
    return [path, text(path)] as const;
  });
  return Object.fromEntries(entries);
}

async function readCopy(app: App, content: string | Buffer, encoding: BlobEncoding): Promise<Buffer | null> {
  const handle = await app.blobs.open(sha256Of(content), encoding);
  if (!handle) return null;
  const bytes = await buffer(handle.stream(0, handle.size - 1));
  await handle.close();
  return bytes;
}

const hasCopies = (file: EdgeFile | undefined) => [file?.brotliSize != null, file?.gzipSize != null];

describe('encoded copies', () => {
  it('are created after the seal, which does not wait for them', async () => {
    const { calls, encode, newSite, ports } = await prepare();
    const { deploy } = await newSite('blog');
    calls.length = 0;
    const { version_id } = await deploy(texts(30, 'a'));
    expect(calls.filter((call) => /^put (br|gzip)/.test(call))).toEqual([]);
    expect(hasCopies((await ports.loadVersion(version_id))?.files.get('a/0000.txt'))).toEqual([false, false]);
    expect(await encode()).toEqual({ encoded: 30 });
    expect(hasCopies((await ports.loadVersion(version_id))?.files.get('a/0029.txt'))).toEqual([true, true]);
    expect(await encode()).toEqual({ encoded: 0 });
    expect(calls).toEqual([]);
  });

  it('are kept for text, and only if they are smaller', async () => {
    const { app, encode, newSite, ports } = await prepare();
    const { deploy } = await newSite('blog');
    const style = 'body { color: red }\n'.repeat(500);
    const noise = randomBytes(5000).toString('latin1');
    const picture = Buffer.alloc(5000);
    const files = { 'a.css': style, 'noise.txt': noise, 'x.png': picture, 'small.txt': 'x' };
    const { version_id } = await deploy(files);
    await encode();
    expect(brotliDecompressSync((await readCopy(app, style, 'br')) ?? '').toString()).toBe(style);
    expect(gunzipSync((await readCopy(app, style, 'gzip')) ?? '').toString()).toBe(style);
    const version = await ports.loadVersion(version_id);
    expect(version?.files.get('a.css')).toMatchObject({
      brotliSize: (await readCopy(app, style, 'br'))?.length,
      gzipSize: (await readCopy(app, style, 'gzip'))?.length,
    });
    for (const [path, content] of [['x.png', picture] as const, ['small.txt', 'x'] as const]) {
      expect(hasCopies(version?.files.get(path))).toEqual([false, false]);
      expect(await readCopy(app, content, 'br')).toBeNull();
      expect(await readCopy(app, content, 'gzip')).toBeNull();
    }
  });

  it('are created once for all versions of an organization', async () => {
    const { app, calls, encode, newSite } = await prepare();
    const { context, deploy } = await newSite('blog');
    const other = await newSite('shop', context);
    await deploy(texts(3, 'a'));
    await encode();
    await deploy({ ...texts(3, 'a'), 'more.txt': text('more') });
    await other.deploy(texts(3, 'a'));
    await encode();
    expect(calls.filter((call) => call.startsWith('put br'))).toEqual([`put br ${sha256Of(text('more'))}`]);
    const rows = await app.db.selectFrom('site_versions').select(['encoded_at']).execute();
    expect(rows).toHaveLength(3);
    expect(rows.every(({ encoded_at }) => encoded_at !== null)).toBe(true);
  });

  it('are recorded only once they would survive a power cut', async () => {
    let isCut = true;
    const { app, encode, newSite } = await prepare((call) =>
      isCut && call === 'settle' ? new Error('power cut') : null,
    );
    isCut = false;
    const { deploy } = await newSite('blog');
    await deploy(texts(1, 'a'));
    isCut = true;
    await expect(encode()).rejects.toThrow('power cut');
    const recorded = () => app.db.selectFrom('organization_blobs').select('brotli_size').execute();
    expect(await recorded()).toEqual([{ brotli_size: null }]);
    isCut = false;
    await encode();
    expect(await recorded()).toEqual([{ brotli_size: expect.any(Number) }]);
  });

  it('continue where they were interrupted, and none is created twice', async () => {
    const stopping = new AbortController();
    let puts = 0;
    const { app, calls, newSite } = await prepare((call) => {
      if (call.startsWith('put br') && ++puts === PORTION_BLOBS / 2) stopping.abort();
      return null;
    });
    const { deploy } = await newSite('blog');
    await deploy(texts(PORTION_BLOBS * 2, 'a'));
    calls.length = 0;
    expect(await encodeVersions(jobContext(app), stopping.signal)).toEqual({ encoded: PORTION_BLOBS });
    expect(await encodeVersions(jobContext(app))).toEqual({ encoded: PORTION_BLOBS });
    const made = calls.filter((call) => call.startsWith('put br'));
    expect(new Set(made).size).toBe(PORTION_BLOBS * 2);
    expect(made).toHaveLength(PORTION_BLOBS * 2);
  });
});

describe('content that another organization has already stored', () => {
  it('is revealed neither by the work that encoding takes nor by what the edge knows beforehand', async () => {
    const { calls, encode, newSite, ports } = await prepare();
    const first = await newSite('first');
    const files = { 'index.html': text('the same'), ...texts(5, 'a') };
    await first.deploy(files);
    await encode();
    const whenNew = [...calls].sort();
    const second = await newSite('second');
    const { version_id } = await second.deploy(files);
    const before = await ports.loadVersion(version_id);
    for (const path of Object.keys(files)) {
      expect(hasCopies(before?.files.get(path)), path).toEqual([false, false]);
    }
    expect((await ports.findNewCopies?.(version_id, ''))?.copies).toEqual([]);
    await encode();
    expect([...calls].sort()).toEqual(whenNew);
    expect(whenNew.filter((call) => call.startsWith('put'))).toHaveLength(12);
  });
});

describe('the order of encoding', () => {
  const madeFirst = (calls: StoreCalls, content: string) =>
    calls.filter((call) => call.startsWith('put br')).indexOf(`put br ${sha256Of(content)}`);

  it('an organization with thousands of texts does not delay the single page of another', async () => {
    const { calls, encode, newSite } = await prepare();
    const large = await newSite('large');
    await large.deploy(texts(PORTION_BLOBS * 2, 'a'));
    const small = await newSite('small');
    await small.deploy({ 'index.html': text('single') });
    await encode();
    expect(madeFirst(calls, text('single'))).toBeLessThanOrEqual(PORTION_BLOBS);
  });

  it('nor does it delay a page that is deployed while its own are encoded', async () => {
    let deployPage: (() => Promise<unknown>) | null = null;
    const { calls, encode, newSite } = await prepare(async (call) => {
      const made = calls.filter((earlier) => earlier.startsWith('put br')).length;
      if (!call.startsWith('put br') || made <= PORTION_BLOBS) return null;
      const deploy = deployPage;
      deployPage = null;
      await deploy?.();
      return null;
    });
    const large = await newSite('large');
    await large.deploy(texts(PORTION_BLOBS * 3, 'a'));
    const small = await newSite('small');
    deployPage = () => small.deploy({ 'index.html': text('single') });
    await encode();
    expect(madeFirst(calls, text('single'))).toBe(PORTION_BLOBS * 2);
  });

  it('puts live versions first, and in them what pages need first', async () => {
    const { calls, encode, newSite } = await prepare();
    const { deploy } = await newSite('blog');
    await deploy({ 'a.json': text('old json'), 'old.html': text('old page') });
    await deploy({
      'a.json': text('json'),
      'b.svg': text('svg'),
      'z.css': text('css'),
      'z.html': text('page'),
    });
    await encode();
    const order = ['css', 'page', 'json', 'svg', 'old page', 'old json'].map((name) =>
      madeFirst(calls, text(name)),
    );
    expect(Math.max(...order.slice(0, 4))).toBeLessThan(Math.min(...order.slice(4)));
  });

  it('leaves out versions and sites that are gone', async () => {
    const { app, encode, newSite } = await prepare();
    const { context, deploy } = await newSite('blog');
    const old = await deploy(texts(3, 'a'));
    await app.db
      .updateTable('site_versions')
      .set({ removed_at: app.clock.now() })
      .where('id', '=', old.version_id)
      .execute();
    const other = await newSite('shop', context);
    await other.deploy(texts(3, 'b'));
    await deleteSite(context, { site_id: other.site.id });
    expect(await encode()).toEqual({ encoded: 0 });
  });
});

describe('content that cannot be encoded', () => {
  const poison = sha256Of(text('a/0001.txt'));

  it('waits separately, is shown to the operator, and is retried', async () => {
    let isBroken = true;
    const { app, calls, encode, newSite, ports } = await prepare((call) =>
      isBroken && call === `put br ${poison}` ? new Error('unreadable') : null,
    );
    const { deploy } = await newSite('blog');
    const { version_id } = await deploy(texts(3, 'a'));
    expect(await encode()).toEqual({ encoded: 2 });
    await encode();
    expect(calls).toEqual([]);
    const operator = { kind: 'operator' as const, tokenId: null, name: 'test', access: 'manage' as const };
    const shown = await listStuckWork({ app, actor: operator, requestId: 'test', address: '' });
    expect(shown).toMatchObject([{ job: 'encode-versions', error: 'Error: unreadable' }]);
    isBroken = false;
    app.clock.advance(60_000);
    expect(await encode()).toEqual({ encoded: 1 });
    expect(hasCopies((await ports.loadVersion(version_id))?.files.get('a/0001.txt'))).toEqual([true, true]);
    expect(await app.db.selectFrom('stuck_work').selectAll().execute()).toEqual([]);
  });

  it('is not recorded as failed while the store is down', async () => {
    let isAway = false;
    const { app, encode, newSite } = await prepare((call) =>
      isAway && /^(put|check)/.test(call) ? new Error('away') : null,
    );
    const { deploy } = await newSite('blog');
    await deploy(texts(3, 'a'));
    isAway = true;
    await expect(encode()).rejects.toThrow('away');
    expect(await app.db.selectFrom('stuck_work').selectAll().execute()).toEqual([]);
    isAway = false;
    expect(await encode()).toEqual({ encoded: 3 });
  });
});

describe('an edge that has loaded a version', () => {
  it('learns in portions about the copies that were created since, and then that there are no more', async () => {
    const { app, encode, newSite, ports } = await prepare();
    const { deploy } = await newSite('blog');
    const { version_id } = await deploy({ 'index.html': text('page'), ...texts(PORTION_BLOBS + 1, 'a') });
    let after = (await ports.loadVersion(version_id))?.copiesAfter ?? null;
    expect(after).toBe('');
    const stopping = new AbortController();
    const stop = app.edgeChanges.subscribe(() => stopping.abort());
    await encodeVersions(jobContext(app), stopping.signal);
    stop();
    const learn = async () => {
      const paths = new Set<string>();
      while (after !== null) {
        const found = await ports.findNewCopies?.(version_id, after);
        for (const { path } of found?.copies ?? []) paths.add(path);
        after = found?.after ?? null;
        if (found?.isAll) break;
      }
      return [...paths];
    };
    const first = await learn();
    expect(first).toContain('index.html');
    expect(first.length).toBeLessThan(PORTION_BLOBS + 2);
    expect(await learn()).toEqual([]);
    await encode();
    const second = await learn();
    expect(new Set([...first, ...second]).size).toBe(PORTION_BLOBS + 2);
    expect(after).toBeNull();
  });
});
