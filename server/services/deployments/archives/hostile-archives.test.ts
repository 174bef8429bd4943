import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { expectNothingLeft, page, prepareArchives } from '#tests/support/app/archive-deploys.ts';
import { tarEntry, tarOf, type ZipEntry, zipOf } from '#tests/support/archives.ts';
import { deployArchive } from './deploy-archive.ts';

describe('a hostile zip archive is refused and leaves nothing behind', () => {
  const zeros = Buffer.alloc(1024 * 1024);
  it.each<[string, ZipEntry[], string]>([
    ['a path out of the site', [{ name: '../evil', content: 'x' }], 'unsafe_path'],
    ['a path out of the site inside', [{ name: 'a/../../evil', content: 'x' }], 'unsafe_path'],
    ['an absolute path', [{ name: '/etc/passwd', content: 'x' }], 'unsafe_path'],
    ['a drive', [{ name: 'C:/evil', content: 'x' }], 'unsafe_path'],
    ['a backslash out of the site', [{ name: '..\\evil', content: 'x' }], 'unsafe_path'],
    ['NUL in a name', [{ name: 'a\0.html', content: 'x' }], 'unsafe_path'],
    ['a part without a name', [{ name: 'a//b', content: 'x' }], 'unsafe_path'],
    ['an endless name', [{ name: 'a'.repeat(1025), content: 'x' }], 'unsafe_path'],
    [
      'a symbolic link',
      [page, { name: 'link', content: '/etc/passwd', mode: 0o120777 }],
      'archive_entry_refused',
    ],
    ['a device', [page, { name: 'tty', mode: 0o020666 }], 'archive_entry_refused'],
    ['an encrypted entry', [page, { name: 'secret', content: 'x', flags: 0x801 }], 'archive_entry_refused'],
    ['an unknown compression', [page, { name: 'x', content: 'x', method: 12 }], 'archive_entry_refused'],
    [
      'overlapping entries',
      [page, { ...page, name: 'again.html', sharesHeaderOf: 0 }],
      'archive_entry_refused',
    ],
    ['paths that differ only by case', [page, { name: 'INDEX.html', content: 'x' }], 'path_collision'],
    ['the same path twice', [page, page], 'path_repeated'],
    ['a wrong checksum', [{ ...page, crc32: 1 }], 'archive_invalid'],
    [
      'more content than announced',
      [{ ...page, content: zeros, declaredSize: 10, crc32: 0 }],
      'archive_invalid',
    ],
    ['less content than announced', [{ ...page, declaredSize: 1000 }], 'archive_invalid'],
    ['a larger file than allowed', [{ name: 'big', content: Buffer.alloc(3_000_000) }], 'limit_file_bytes'],
    [
      'more than a version holds',
      [1, 2, 3, 4, 5].map((n) => ({ name: `f${n}`, content: zeros })),
      'limit_version_bytes',
    ],
    [
      'more files than allowed',
      Array.from({ length: 21 }, (_, n) => ({ name: `f${n}`, content: 'x' })),
      'limit_files',
    ],
    ['countless folders', Array.from({ length: 1100 }, (_, n) => ({ name: `f${n}/` })), 'limit_files'],
    ['nothing in it', [], 'manifest_empty'],
    ['only junk', [{ name: '.DS_Store', content: 'x' }], 'manifest_empty'],
  ])('%s', async (_, entries, code) => {
    const { app, deploy } = await prepareArchives({
      DEPLOY_MAX_FILES: '20',
      DEPLOY_MAX_FILE_BYTES: '2000000',
      DEPLOY_MAX_VERSION_BYTES: '4000000',
    });
    await expect(deploy('zip', zipOf(entries))).rejects.toMatchObject({ code });
    await expectNothingLeft(app);
  });

  it('one that is cut off, or not a zip at all', async () => {
    const { app, deploy } = await prepareArchives();
    const bytes = zipOf([page, { name: 'b', content: 'b'.repeat(5000) }]);
    for (const cut of [0, 10, bytes.byteLength - 30, bytes.byteLength - 1]) {
      await expect(deploy('zip', bytes.subarray(0, cut))).rejects.toMatchObject({ code: 'archive_invalid' });
    }
    await expect(deploy('zip', Buffer.from('hello'.repeat(100)))).rejects.toMatchObject({
      code: 'archive_invalid',
    });
    await expectNothingLeft(app);
  });

  it('one that expands implausibly', async () => {
    const { app, deploy } = await prepareArchives();
    const bomb = zipOf([{ name: 'zeros', content: Buffer.alloc(70 * 1024 * 1024) }]);
    expect(bomb.byteLength).toBeLessThan(100_000);
    await expect(deploy('zip', bomb)).rejects.toMatchObject({ code: 'archive_invalid' });
    await expect(
      deploy('tar.gz', gzipSync(tarOf([{ name: 'zeros', content: Buffer.alloc(70 * 1024 * 1024) }]))),
    ).rejects.toMatchObject({
      code: 'archive_invalid',
    });
    await expectNothingLeft(app);
  });
});

/** Returns this many bytes of PAX records: `7 ab=c\n` names an attribute `ab`. */
function attributes(bytes: number): string {
  return '7 ab=c\n'.repeat(Math.ceil(bytes / 7));
}

describe('a hostile tar archive is refused and leaves nothing behind', () => {
  it.each<[string, Parameters<typeof tarEntry>[0], string]>([
    ['a symbolic link', { name: 'link', type: '2', linkname: '/etc/passwd' }, 'archive_entry_refused'],
    ['a hard link', { name: 'link', type: '1', linkname: 'index.html' }, 'archive_entry_refused'],
    ['a device', { name: 'tty', type: '3' }, 'archive_entry_refused'],
    ['a pipe', { name: 'pipe', type: '6' }, 'archive_entry_refused'],
    ['a sparse file', { name: 'sparse', type: 'S', content: 'x' }, 'archive_entry_refused'],
    ['an absolute path', { name: '/etc/passwd', content: 'x' }, 'unsafe_path'],
    ['a path out of the site', { name: 'a/../../evil', content: 'x' }, 'unsafe_path'],
    ['a backslash', { name: 'a\\b', content: 'x' }, 'unsafe_path'],
    ['a path that differs only by case', { name: 'INDEX.HTML', content: 'x' }, 'path_collision'],
    [
      'a size beyond the limit',
      { name: 'big', declaredSize: 8_000_000_000, content: 'x' },
      'limit_file_bytes',
    ],
    ['a size beyond its end', { name: 'big', declaredSize: 100_000, content: 'x' }, 'archive_invalid'],
    ['very many attributes', { name: 'x', type: 'x', content: attributes(300_000) }, 'archive_invalid'],
    ['many attributes of all files', { name: 'g', type: 'g', content: attributes(5_000) }, 'archive_invalid'],
  ])('%s', async (_, entry, code) => {
    const { app, deploy } = await prepareArchives();
    await expect(deploy('tar', tarOf([page, entry]))).rejects.toMatchObject({ code });
    await expectNothingLeft(app);
  });

  it('a sparse file, which has no type of its own in the newer format', async () => {
    const { app, deploy } = await prepareArchives();
    const sparse = { name: 'own', type: 'x', content: '22 GNU.sparse.major=1\n' };
    await expect(deploy('tar', tarOf([sparse, page]))).rejects.toMatchObject({
      code: 'archive_entry_refused',
    });
    await expectNothingLeft(app);
  });

  it('one that is cut off anywhere, even between two files', async () => {
    const { app, deploy } = await prepareArchives();
    const bytes = tarOf([page, { name: 'b', content: 'b'.repeat(600) }]);
    const gzipped = gzipSync(bytes);
    for (const cut of [0, 100, 512, 1024, 1500, 2048, 2560]) {
      await expect(deploy('tar', bytes.subarray(0, cut)), String(cut)).rejects.toMatchObject({
        code: 'archive_invalid',
      });
    }
    for (const cut of [5, 40, gzipped.byteLength - 4]) {
      await expect(deploy('tar.gz', gzipped.subarray(0, cut))).rejects.toMatchObject({
        code: 'archive_invalid',
      });
    }
    await expect(deploy('tar.gz', bytes)).rejects.toMatchObject({ code: 'archive_invalid' });
    await expectNothingLeft(app);
  });

  it('one whose sender disconnects', async () => {
    const { app, context, site } = await prepareArchives();
    async function* broken() {
      yield tarEntry(page);
      throw new Error('socket hang up');
    }
    for (const type of ['tar', 'tar.gz', 'zip'] as const) {
      const content = Readable.from(broken());
      await expect(deployArchive(context, { site_id: site.id }, { type, content })).rejects.toMatchObject({
        code: 'upload_interrupted',
      });
    }
    await expectNothingLeft(app);
  });
});
