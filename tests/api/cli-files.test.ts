import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeTemporaryFolder } from '#tests/support/temporary-folder.ts';

const SOURCES = new URL('../../cli/src/', import.meta.url);
const MIB = 1024 ** 2;

async function loadCli() {
  const { hashFiles } = await import(new URL('hash-files.mjs', SOURCES).href);
  const { readSmallFile } = await import(new URL('read-small-file.mjs', SOURCES).href);
  return { hashFiles, readSmallFile };
}

it.each([0, 10, 100_000, MIB, 3 * MIB])(
  'a file of %i bytes when it was found is hashed as a whole when it has grown, and never read as a whole',
  async (size) => {
    const { hashFiles, readSmallFile } = await loadCli();
    const folder = await makeTemporaryFolder({});
    const source = join(folder, 'log.txt');
    const content = Buffer.alloc(4 * MIB, 'growing ');
    const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
    const file = { path: 'log.txt', source, size };
    await writeFile(source, content.subarray(0, size));
    const found = [{ ...file, sha256: sha256Of(content.subarray(0, size)) }];
    expect(await hashFiles([file], () => undefined)).toEqual(found);
    await writeFile(source, content);
    const grown = [{ ...file, size: content.length, sha256: sha256Of(content) }];
    expect(await hashFiles([file], () => undefined)).toEqual(grown);
    expect(await readSmallFile(file)).toHaveLength(size + 1);
  },
);
