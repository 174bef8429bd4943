import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { watchSyncs } from '#tests/support/server/watch-syncs.ts';
import { makeTemporaryFolder } from '#tests/support/temporary-folder.ts';
import { DiskReserve } from '../room/disk-reserve.ts';
import { openDirectoryStore } from './directory-store.ts';

const filesIn = async (folder: string) =>
  (await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));

async function openStore() {
  const folder = await makeTemporaryFolder({});
  const { pieces } = await openDirectoryStore(folder);
  const receive = (content: string) =>
    pieces.receive(Readable.from([Buffer.from(content)]), { announcedBytes: content.length });
  return { folder, pieces, receive, stored: () => filesIn(join(folder, 'objects')) };
}

it.each([
  ['small', 1_000],
  ['large', 200_000],
])('a %s piece is there once it is kept, whole, and gone once it is removed', async (_, bytes) => {
  const { pieces, receive, stored } = await openStore();
  const content = 'x'.repeat(bytes);
  const piece = await receive(content);
  expect(piece.size).toBe(bytes);
  expect(await pieces.open(piece.id)).toBeNull();
  expect(await pieces.readPart(piece.id, { start: 0, length: 1 })).toBeNull();
  await piece.keep();
  const [path = ''] = await stored();
  expect(await readFile(path, 'utf8')).toBe(content);
  expect(String(await pieces.readPart(piece.id, { start: bytes - 5, length: 10 }))).toBe('xxxxx');
  const copy = await pieces.copy(piece.id);
  await pieces.remove(piece.id);
  expect(await pieces.open(piece.id)).toBeNull();
  expect(String(await pieces.readPart(copy, { start: 0, length: bytes }))).toBe(content);
});

it.each([
  ['small', 1_000],
  ['large', 200_000],
])('nothing stays of a %s piece that is discarded, unless it was kept', async (_, bytes) => {
  const { folder, pieces, receive } = await openStore();
  const content = 'x'.repeat(bytes);
  await (await receive(content)).discard();
  expect(await filesIn(folder)).toEqual([]);
  const kept = await receive(content);
  await kept.keep();
  // A row may name it, even if its writer got an error.
  await kept.discard();
  expect(String(await pieces.readPart(kept.id, { start: 0, length: 1 }))).toBe('x');
});

it('nothing stays of content that ends too early, or goes on for longer than it was announced', async () => {
  const { folder, pieces } = await openStore();
  const broken = async function* () {
    yield Buffer.from('x');
    throw new Error('cut');
  };
  const received = (content: Readable) => pieces.receive(content, { announcedBytes: 10 });
  const interrupted = { code: 'upload_interrupted' };
  await expect(received(Readable.from(broken()))).rejects.toMatchObject(interrupted);
  const endless = async function* () {
    for (;;) yield Buffer.alloc(1_024);
  };
  await expect(received(Readable.from(endless()))).rejects.toMatchObject(interrupted);
  expect(await filesIn(folder)).toEqual([]);
});

it('pieces of one moment lie in one folder, which is made again when it is gone', async () => {
  const { folder, receive, stored } = await openStore();
  const pieces = await Promise.all(Array.from({ length: 100 }, (_, at) => receive(`piece ${at}`)));
  await Promise.all(pieces.slice(0, 50).map((piece) => piece.keep()));
  const folders = await readdir(join(folder, 'objects'));
  expect(folders).toHaveLength(1);
  await rm(join(folder, 'objects', ...folders), { recursive: true });
  await Promise.all(pieces.slice(50).map((piece) => piece.keep()));
  expect(await stored()).toHaveLength(50);
});

it('a small piece is refused where it would reach into the reserve of the disk', async () => {
  const folder = await makeTemporaryFolder({});
  const statfs = async () => ({ bsize: 4096, blocks: 1000, bavail: 10 });
  const reserve = new DiskReserve(folder, 4096 * 10, statfs);
  const { pieces } = await openDirectoryStore(folder, { reserve });
  const piece = await pieces.receive(Readable.from([Buffer.from('x')]), { announcedBytes: 1 });
  await expect(piece.keep()).rejects.toMatchObject({ code: 'storage_full' });
});

it('a folder that another process has just made survives a power cut with the first piece in it', async () => {
  const { folder, pieces } = await openStore();
  const made = join(folder, 'objects', 'zz');
  await mkdir(made);
  const { keepsName } = await watchSyncs();
  await (
    await pieces.receive(Readable.from([Buffer.from('x')]), { announcedBytes: 1, id: 'piecezz' })
  ).keep();
  expect(keepsName(made)).toBe(true);
  expect(keepsName(join(made, 'piecezz'))).toBe(true);
});

it('a piece whose id is known replaces what a power cut has left of it', async () => {
  const { folder, pieces } = await openStore();
  const path = join(folder, 'objects', 'zz', 'piecezz');
  await mkdir(dirname(path));
  await writeFile(path, 'pa');
  await (
    await pieces.receive(Readable.from([Buffer.from('part')]), { announcedBytes: 4, id: 'piecezz' })
  ).keep();
  expect(await readFile(path, 'utf8')).toBe('part');
  expect(await filesIn(folder)).toEqual([path]);
});
