import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeTemporaryFolder } from '#tests/support/temporary-folder.ts';
import { KnowledgeFolder } from './knowledge-folder.ts';

const KEY = Buffer.alloc(32, 1);
const LIMITS = { hosts: 5 * 4096, certificates: 4096, versions: 4096, changes: 4096, position: 4096 };

async function prepare() {
  const root = await makeTemporaryFolder({});
  const folder = new KnowledgeFolder(root, KEY, LIMITS);
  await folder.prepare();
  const only = async () => join(root, 'hosts', (await readdir(join(root, 'hosts')))[0] ?? '');
  return { root, folder, only };
}

describe('the folder of what edges know', () => {
  it('returns what was last written under a name, to every process with the key, and null otherwise', async () => {
    const { root, folder, only } = await prepare();
    await folder.write('hosts', 'a', ['1']);
    await folder.write('hosts', 'a', ['2', 'é']);
    expect(await new KnowledgeFolder(root, KEY).read('hosts', 'a')).toBe('2\né\n');
    expect(await folder.read('hosts', 'b')).toBeNull();
    expect(await folder.read('certificates', 'a')).toBeNull();
    expect((await stat(await only())).mode & 0o077).toBe(0);
  });

  it.each([
    ['cut', (bytes: Buffer) => bytes.subarray(0, -1)],
    ['empty', () => Buffer.alloc(0)],
    ['altered', (bytes: Buffer) => Buffer.concat([Buffer.from('x'), bytes.subarray(1)])],
  ])('refuses a file that is %s', async (_, damage) => {
    const { folder, only } = await prepare();
    await folder.write('hosts', 'a', ['what was written']);
    await writeFile(await only(), damage(await readFile(await only())));
    await expect(folder.read('hosts', 'a')).rejects.toThrow('damaged');
  });

  it('refuses a file of another name, kind or key', async () => {
    const { root, folder, only } = await prepare();
    await folder.write('hosts', 'a', ['1']);
    const written = await only();
    await folder.write('hosts', 'b', ['2']);
    const [one = '', other = ''] = await readdir(join(root, 'hosts'));
    await cp(join(root, 'hosts', one), join(root, 'hosts', other));
    const isRefused = (name: string) => folder.read('hosts', name).then(String, () => 'refused');
    expect([await isRefused('a'), await isRefused('b')].sort()).toEqual(
      [expect.anything(), 'refused'].sort(),
    );
    await cp(written, written.replace('hosts', 'changes'));
    await expect(folder.read('changes', 'a')).rejects.toThrow('damaged');
    const stranger = new KnowledgeFolder(root, Buffer.alloc(32, 2));
    await expect(stranger.read('changes', 'a')).rejects.toThrow('damaged');
  });

  it('keeps a kind within its limit, and what was used last', async () => {
    const { root, folder } = await prepare();
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    for (const name of names) {
      await folder.write('hosts', name, ['1']);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(await folder.touch('hosts', 'a')).toBe(true);
    expect(await folder.touch('hosts', 'z')).toBe(false);
    await folder.evict('hosts');
    expect(await readdir(join(root, 'hosts'))).toHaveLength(4);
    const kept = await Promise.all(names.map((name) => folder.read('hosts', name)));
    expect(names.filter((_, index) => kept[index] !== null)).toEqual(['a', 'e', 'f', 'g']);
  });

  it('leaves nothing of a file that could not be written', async () => {
    const { root, folder } = await prepare();
    await folder.write('hosts', 'a', ['1']);
    await rm(join(root, 'hosts'), { recursive: true });
    await expect(folder.write('hosts', 'a', ['2'])).rejects.toThrow('ENOENT');
    await mkdir(join(root, 'hosts'));
    function* breaking() {
      yield '1';
      throw new Error('no more');
    }
    await expect(folder.write('hosts', 'a', breaking())).rejects.toThrow('no more');
    expect(await readdir(join(root, 'hosts'))).toEqual([]);
  });
});
