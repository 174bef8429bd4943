import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { zipOf } from '#tests/support/archives.ts';
import type { ArchiveContents } from './archive-entries.ts';
import { readZipArchive } from './read-zip-archive.ts';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

function heapMiB(): number {
  collect();
  return process.memoryUsage().heapUsed / 1024 ** 2;
}

it('keeps nothing of the extra fields of a zip archive, of which a small one can have millions', async () => {
  // Every four bytes are a field of their own.
  const extra = Buffer.from('99990000'.repeat(15_000), 'hex');
  const archive = zipOf(
    Array.from({ length: 100 }, (_, at) => ({ name: `${at}.txt`, content: `${at}`, extra })),
  );
  const path = join(await mkdtemp(join(tmpdir(), 'portage-zip-')), 'archive.zip');
  await writeFile(path, archive);
  const before = heapMiB();
  const held: number[] = [];
  const contents = {
    announce: () => undefined,
    // The first file is added once the whole directory has been read.
    add: async () => void (held.length === 0 && held.push(heapMiB() - before)),
  } as unknown as ArchiveContents;
  const limits = { filesMax: 1_000, fileBytesMax: 1_000, versionBytesMax: 1_000_000 };
  await readZipArchive({ path, size: archive.byteLength }, contents, limits, {
    breathe: async () => undefined,
  } as unknown as Parameters<typeof readZipArchive>[3]);
  expect(held[0]).toBeLessThan(50);
});
