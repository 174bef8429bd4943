import { mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFolders } from './make-folders.ts';

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'portage-folders-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

describe('a folder that an operator has named', () => {
  it('is created for this account only, with those around it, and may exist', async () => {
    const path = join(root, 'a', 'b');
    makeFolders(path);
    makeFolders(path);
    for (const each of [path, join(root, 'a')]) expect((await stat(each)).mode & 0o777).toBe(0o700);
    await symlink(path, join(root, 'link'));
    makeFolders(join(root, 'link', 'c'));
    expect((await stat(join(path, 'c'))).isDirectory()).toBe(true);
  });

  it('is refused where there cannot be one', async () => {
    await writeFile(join(root, 'file'), '');
    expect(() => makeFolders(join(root, 'file'))).toThrow('EEXIST');
    expect(() => makeFolders(join(root, 'file', 'x'))).toThrow('ENOTDIR');
    // Where the system reports what cannot be created as missing.
    if (process.platform !== 'linux') return;
    expect(() => makeFolders('/proc/portage')).toThrow('ENOENT');
    expect(() => makeFolders('/proc/portage/backup')).toThrow('ENOENT');
  });
});
