import { mkdir, mkdtemp, open as openFile, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toAppError } from '#server/errors.ts';
import { sha256Of } from '#tests/support/app/deploy.ts';
import { testOutgoing } from '#tests/support/app/test-outgoing.ts';
import { readBlob } from '#tests/support/storage/read-blob.ts';
import { startTestS3Server, type TestS3Server } from '#tests/support/storage/s3-server.ts';
import type { BlobStore } from './blob-store.ts';
import { openDirectoryStore } from './directory/directory-store.ts';
import { DiskReserve } from './room/disk-reserve.ts';
import { openS3Store } from './s3/s3-store.ts';
import { STALE_AFTER_MS } from './spool.ts';

let folder: string;
let server: TestS3Server;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portage-store-'));
  server = await startTestS3Server();
});
afterEach(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Every file below the store, including temporary ones. */
async function filesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

const text = 'content '.repeat(20_000);
const sha256 = sha256Of(text);
const inParts = () => Readable.from([Buffer.from(text.slice(0, 70_000)), Buffer.from(text.slice(70_000))]);

const stores: Record<string, () => Promise<BlobStore>> = {
  'a directory': () => openDirectoryStore(folder),
  'an S3 bucket': () => openS3Store(server.url, folder, testOutgoing()),
};

describe.each(Object.keys(stores))('content in %s', (name) => {
  const openStore = () => stores[name]?.() ?? Promise.reject(new Error(name));

  it('is read back unchanged, from streams and buffers, in every encoding', async () => {
    const store = await openStore();
    await store.put(sha256, 'identity', inParts(), { size: text.length });
    await store.put(sha256, 'br', Buffer.from('brotli'), { size: 6 });
    expect(await readBlob(store, sha256)).toBe(text);
    expect([await store.has(sha256, 'br'), await store.has(sha256, 'gzip')]).toEqual([true, false]);
    expect(await store.open(sha256, 'gzip')).toBeNull();
    await store.put(sha256Of(''), 'identity', Buffer.alloc(0), { size: 0 });
    expect(await store.has(sha256Of(''), 'identity')).toBe(true);
  });

  it('can be read by position', async () => {
    const store = await openStore();
    await store.put(sha256Of('0123456789'), 'identity', Buffer.from('0123456789'), { size: 10 });
    const handle = await store.open(sha256Of('0123456789'), 'identity');
    const target = Buffer.alloc(6, '.');
    expect(await handle?.read(target, 1, 4, 3)).toBe(4);
    expect(String(target)).toBe('.3456.');
    expect(await handle?.read(target, 0, 6, 8)).toBe(2);
    expect(await handle?.read(target, 0, 6, 10)).toBe(0);
    expect(String(await buffer(handle?.stream(2, 4) ?? Readable.from([])))).toBe('234');
    await handle?.close();
  });

  it('is rejected when it differs from what was announced, and leaves nothing', async () => {
    const store = await openStore();
    const before = server.requests.length;
    const wrong = (content: string, size: number | null) =>
      store.put(sha256, 'identity', Readable.from([Buffer.from(content)]), { size });
    await expect(wrong('other', null)).rejects.toMatchObject({ code: 'hash_mismatch' });
    await expect(wrong('other', 4)).rejects.toMatchObject({ code: 'size_mismatch' });
    await expect(wrong('other', 6)).rejects.toMatchObject({ code: 'size_mismatch' });
    await expect(store.put(sha256, 'identity', Buffer.from('other'), { size: 5 })).rejects.toMatchObject({
      code: 'hash_mismatch',
    });
    expect(server.requests).toHaveLength(before);
    expect(await filesIn(folder)).toEqual([]);
  });

  it('that breaks off leaves nothing', async () => {
    const store = await openStore();
    async function* broken() {
      yield Buffer.from('con');
      throw new Error('socket hang up');
    }
    const put = store.put(sha256, 'identity', Readable.from(broken()), { size: text.length });
    await expect(put).rejects.toMatchObject({ code: 'upload_interrupted' });
    const staged = store.stage(Readable.from(broken()), { sizeMax: 100 });
    await expect(staged).rejects.toMatchObject({ code: 'upload_interrupted' });
    expect(await filesIn(folder)).toEqual([]);
  });

  it('can be staged before its hash is known, then stored or discarded', async () => {
    const store = await openStore();
    const kept = await store.stage(inParts(), { sizeMax: text.length });
    expect(kept).toMatchObject({ sha256, size: text.length });
    expect(await store.has(sha256, 'identity')).toBe(false);
    await kept.store();
    await kept.discard();
    expect(await readBlob(store, sha256)).toBe(text);
    const forgotten = await store.stage(Buffer.from('forget me'), { sizeMax: 100 });
    await forgotten.discard();
    expect(await store.has(forgotten.sha256, 'identity')).toBe(false);
    await expect(store.stage(inParts(), { sizeMax: 10 })).rejects.toMatchObject({ code: 'limit_file_bytes' });
    expect((await filesIn(folder)).filter((file) => file !== sha256)).toEqual([]);
  });

  it('is listed and removed in every encoding', async () => {
    const store = await openStore();
    const contents = ['a', 'b', 'c'];
    for (const content of contents)
      await store.put(sha256Of(content), 'identity', Buffer.from(content), { size: 1 });
    await store.put(sha256Of('a'), 'gzip', Buffer.from('x'), { size: 1 });
    const listed = [];
    for await (const blob of store.list()) listed.push(blob.sha256);
    expect([...new Set(listed)].sort()).toEqual(contents.map(sha256Of).sort());
    await store.remove(sha256Of('a'));
    await store.remove(sha256Of('unknown'));
    expect([await store.has(sha256Of('a'), 'identity'), await store.has(sha256Of('a'), 'gzip')]).toEqual([
      false,
      false,
    ]);
    expect(await readBlob(store, sha256Of('b'))).toBe('b');
  });

  it('written many times concurrently is stored once and complete', async () => {
    const store = await openStore();
    await Promise.all(
      Array.from({ length: 20 }, () => store.put(sha256, 'identity', inParts(), { size: text.length })),
    );
    expect(await readBlob(store, sha256)).toBe(text);
    expect((await filesIn(folder)).filter((file) => file !== sha256)).toEqual([]);
  });

  it('written in many small puts is stored completely, and a wrong one spoils no other', async () => {
    const store = await openStore();
    const contents = Array.from({ length: 500 }, (_, index) => Buffer.from(`small ${index}`));
    const ends = await Promise.allSettled(
      contents.map((content, index) => {
        const name = sha256Of(index === 250 ? 'other' : content);
        return store.put(name, 'identity', content, { size: content.length, isDeferred: true });
      }),
    );
    await store.settle();
    expect(ends.filter(({ status }) => status === 'rejected')).toEqual([
      { status: 'rejected', reason: expect.objectContaining({ code: 'hash_mismatch' }) },
    ]);
    expect(await store.has(sha256Of('other'), 'identity')).toBe(false);
    for (const index of [0, 249, 251, 499]) {
      expect(await readBlob(store, sha256Of(`small ${index}`))).toBe(`small ${index}`);
    }
    const wrongSize = store.put(sha256Of('x'), 'identity', Buffer.from('x'), { size: 2, isDeferred: true });
    await expect(wrongSize).rejects.toMatchObject({ code: 'size_mismatch' });
    expect(await filesIn(join(folder, name === 'a directory' ? 'tmp' : 'spool'))).toEqual([]);
  });

  it('and the store reports that it is ready', async () => {
    const store = await openStore();
    await store.check();
    expect(await filesIn(folder)).toEqual([]);
    expect(server.objects.size).toBe(0);
  });
});

describe('many small files', () => {
  it('are written even after another process has removed the folder of temporary ones', async () => {
    const store = await openDirectoryStore(folder);
    const put = (text: string) =>
      store.put(sha256Of(text), 'identity', Buffer.from(text), { size: text.length, isDeferred: true });
    await put('before');
    for (const name of await readdir(join(folder, 'tmp')))
      await rm(join(folder, 'tmp', name), { recursive: true });
    await Promise.all(['one', 'two', 'three'].map(put));
    expect(await readBlob(store, sha256Of('three'))).toBe('three');
  });

  it('are rejected on a disk that has no room for them', async () => {
    const statfs = async () => ({ bsize: 4096, blocks: 1000, bavail: 10 });
    const store = await openDirectoryStore(folder, { reserve: new DiskReserve(folder, 4096 * 10, statfs) });
    const put = store.put(sha256Of('x'), 'identity', Buffer.from('x'), { size: 1, isDeferred: true });
    await expect(put).rejects.toMatchObject({ code: 'storage_full' });
  });
});

describe('a full disk', () => {
  it('is reported as such, and the half-written file is removed', async () => {
    // The real error of a real device that is always full.
    const opened: string[] = [];
    const store = await openDirectoryStore(folder, {
      openFile: async (path, flags, mode) => {
        opened.push(path);
        await writeFile(path, '', { mode });
        return openFile('/dev/full', flags.replace('x', ''), mode);
      },
    });
    await expect(store.put(sha256, 'identity', inParts(), { size: text.length })).rejects.toMatchObject({
      code: 'storage_full',
      status: 507,
    });
    await expect(store.stage(inParts(), { sizeMax: text.length })).rejects.toMatchObject({
      code: 'storage_full',
    });
    await expect(store.check()).rejects.toMatchObject({ code: 'storage_full' });
    expect(opened).toHaveLength(3);
    expect(await filesIn(folder)).toEqual([]);
  });

  it.each([
    [507, 'InsufficientStorage'],
    [403, 'QuotaExceeded'],
    [507, 'XMinioStorageFull'],
  ])('of an S3 engine that responds with %i %s too', async (status, code) => {
    const store = await openS3Store(server.url, folder, testOutgoing());
    server.refuseUploads = { status, code, times: Number.POSITIVE_INFINITY };
    await expect(store.put(sha256, 'identity', inParts(), { size: text.length })).rejects.toMatchObject({
      code: 'storage_full',
    });
    expect(await filesIn(folder)).toEqual([]);
  });
});

describe('a directory that is gone while the store is in use, as when its disk is no longer mounted', () => {
  it('receives nothing until it is back', async () => {
    const root = join(folder, 'mounted');
    const store = await openDirectoryStore(root);
    await store.put(sha256, 'identity', inParts(), { size: text.length });
    await store.check();
    await rename(root, join(folder, 'elsewhere'));
    await mkdir(root);
    const piece = (content: string) =>
      store.pieces
        .receive(Readable.from([Buffer.from(content)]), { announcedBytes: content.length })
        .then((staged) => staged.keep());
    const attempts = [
      () => store.put(sha256, 'identity', inParts(), { size: text.length }),
      () => piece('small'),
      () => piece('large '.repeat(20_000)),
      () => store.check(),
    ];
    for (const attempt of attempts) {
      const error = await attempt().catch((thrown: unknown) => thrown);
      expect(toAppError(error).code).toBe('service_unavailable');
    }
    expect(await readdir(root)).toEqual([]);
    await rm(root, { recursive: true });
    await rename(join(folder, 'elsewhere'), root);
    await store.check();
    await piece('small');
    expect(await readBlob(store, sha256)).toBe(text);
  });
});

describe('a start', () => {
  it('removes what a killed process left, and nothing of a live one', async () => {
    const live = await openDirectoryStore(folder);
    const staged = await live.stage(Buffer.from('live'), { sizeMax: 10 });
    const left = join(folder, 'tmp', 'ended');
    await mkdir(left);
    await writeFile(join(left, 'half'), 'half');
    const lastSign = new Date(Date.now() - STALE_AFTER_MS - 1000);
    await utimes(left, lastSign, lastSign);
    await openDirectoryStore(folder);
    expect(await filesIn(folder)).toEqual([basename(staged.path)]);
    await staged.store();
    expect(await readBlob(live, staged.sha256)).toBe('live');
  });
});
