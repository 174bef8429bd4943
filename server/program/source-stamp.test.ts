import { rename, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeTemporaryFolder } from '#tests/support/temporary-folder.ts';
import { matchStamp, readSources, stampOf } from './source-stamp.ts';

const SOURCES = { paths: ['app'], isSource: (file: string) => !file.includes('.test.') };

async function stampedFolder() {
  const root = await makeTemporaryFolder({
    'app/page.tsx': 'one',
    'app/page.test.tsx': 'its test',
    'other.ts': 'no source',
  });
  const stamp = join(root, 'stamp');
  await writeFile(stamp, stampOf(readSources(root, SOURCES)));
  const isFresh = async () => (await matchStamp(stamp, readSources(root, SOURCES))) !== null;
  return { root, page: join(root, 'app', 'page.tsx'), isFresh };
}

describe('a build is fresh', () => {
  it('while its sources are what they were, whatever happens to tests and to other files', async () => {
    const { root, isFresh } = await stampedFolder();
    expect(await isFresh()).toBe(true);
    await writeFile(join(root, 'app', 'page.test.tsx'), 'another test');
    await writeFile(join(root, 'other.ts'), 'still none');
    expect(await isFresh()).toBe(true);
  });

  it('after a checkout wrote the same contents again, at another time', async () => {
    const { page, isFresh } = await stampedFolder();
    await utimes(page, 1, 1);
    expect(await isFresh()).toBe(true);
    expect(await isFresh()).toBe(true);
  });

  it('no more once a source has changed, is new or has another name', async () => {
    const changed = await stampedFolder();
    await writeFile(changed.page, 'two');
    expect(await changed.isFresh()).toBe(false);
    const grown = await stampedFolder();
    await writeFile(join(grown.root, 'app', 'more.ts'), '');
    expect(await grown.isFresh()).toBe(false);
    const renamed = await stampedFolder();
    await rename(renamed.page, join(renamed.root, 'app', 'sheet.tsx'));
    expect(await renamed.isFresh()).toBe(false);
  });

  it('not even when a change kept size and time', async () => {
    const { page, isFresh } = await stampedFolder();
    await utimes(page, 1, 1);
    expect(await isFresh()).toBe(true);
    await writeFile(page, 'two');
    await utimes(page, 1, 1);
    expect(await isFresh()).toBe(false);
  });
});
