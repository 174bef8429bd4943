import { randomBytes } from 'node:crypto';
import { mkdtemp, open, readdir, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { App, OrganizationContext } from '#server/context.ts';
import { openDirectoryStore } from '#server/store/directory-store.ts';
import { credentialContext, storedCredentialContext } from '#tests/support/app/credential-context.ts';
import { createTestApp, type TestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson, joinOrganization } from '#tests/support/app/test-person.ts';
import { inChunks, tarEntry, tarOf, type ZipEntry, zipOf } from '#tests/support/archives.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { deleteCredential } from '../../credentials/delete-credential.ts';
import { updateScopes } from '../../credentials/update-scopes.ts';
import { createSite } from '../../sites/create-site.ts';
import { getVersion } from '../get-version.ts';
import { listVersions } from '../list-versions.ts';
import { listVersionFiles } from '../manifests/list-version-files.ts';
import type { ArchiveType } from '../rules.ts';
import { deployArchive } from './deploy-archive.ts';

async function prepare(environment: Record<string, string> = {}, parts: Partial<App> = {}) {
  const app = await createTestApp({ environment, ...parts });
  const { context } = await createTestPerson(app);
  const site = await createSite(context, { name: 'blog' });
  const deploy = (type: ArchiveType, bytes: Buffer) =>
    deployArchive(context, { site_id: site.id }, { type, content: Readable.from(inChunks(bytes)) });
  const paths = async (versionId: string) => {
    const page = await listVersionFiles(context, { site_id: site.id, version_id: versionId });
    return page.items.map((file) => file.path);
  };
  return { app, context, site, deploy, paths };
}

/** Everything in the store: names of blobs and of temporary files. */
async function storedNames(app: TestApp): Promise<string[]> {
  const root = join(app.config.dataDir, 'blobs');
  const names = await readdir(root, { recursive: true, withFileTypes: true });
  return names.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

/** Whether archives of the organization hold at least this many bytes of the disk. */
function isHolding({ deployWork }: TestApp, organizationId: string, bytes: number): boolean {
  const hasRoom = deployWork.archiveBytes.take(organizationId, 1, bytes);
  if (hasRoom) deployWork.archiveBytes.give(organizationId, 1);
  return !hasRoom;
}

async function expectNothingLeft(app: TestApp): Promise<void> {
  expect(await storedNames(app)).toEqual([]);
  expect(await app.db.selectFrom('site_versions').select('id').execute()).toEqual([]);
  expect(await app.db.selectFrom('blobs').select('sha256').execute()).toEqual([]);
}

const page = { name: 'index.html', content: '<h1>hello</h1>' };

describe('deploying an archive', () => {
  it.each<[ArchiveType, Buffer]>([
    [
      'zip',
      zipOf([page, { name: 'a/b.txt', content: 'b' }, { name: 'stored.txt', content: 's', isStored: true }]),
    ],
    ['tar', tarOf([page, { name: 'a/b.txt', content: 'b' }, { name: 'stored.txt', content: 's' }])],
    [
      'tar.gz',
      gzipSync(tarOf([page, { name: 'a/b.txt', content: 'b' }, { name: 'stored.txt', content: 's' }])),
    ],
  ])('%s: publishes the files and returns the report', async (type, bytes) => {
    const { app, context, site, deploy, paths } = await prepare();
    const report = await deploy(type, bytes);
    expect(report).toMatchObject({ added: 3, file_count: 3, is_published: true, problems: [] });
    expect(await paths(report.version_id)).toEqual(['a/b.txt', 'index.html', 'stored.txt']);
    const version = await getVersion(context, { site_id: site.id, version_id: report.version_id });
    expect(version).toMatchObject({ is_current: true, number: 1 });
    expect((await storedNames(app)).filter((name) => name.includes('-'))).toEqual([]);
  });

  it('tar: whatever attributes its files have', async () => {
    const { deploy, paths } = await prepare();
    const attribute = `SCHILY.xattr.user.note=${'n'.repeat(60_000)}\n`;
    const own = { name: 'own', type: 'x', content: `${attribute.length + 6} ${attribute}` };
    const common = { name: 'common', type: 'g', content: '20 comment=a5b6c7d8\n' };
    const report = await deploy('tar', tarOf([common, own, page]));
    expect(await paths(report.version_id)).toEqual(['index.html']);
  });

  it.each<[ArchiveType, (names: string[]) => Buffer]>([
    ['zip', (names) => zipOf(names.map((name) => ({ name, content: name.endsWith('/') ? '' : name })))],
    [
      'tar',
      (names) =>
        tarOf(
          names.map((name) => ({
            name,
            content: name.endsWith('/') ? '' : name,
            type: name.endsWith('/') ? '5' : '0',
          })),
        ),
    ],
  ])('%s: removes a single folder around everything and skips files that macOS adds', async (type, make) => {
    const { deploy, paths } = await prepare();
    const names = [
      './dist/',
      './dist/index.html',
      'dist/a/.DS_Store',
      '__MACOSX/dist/._index.html',
      'dist/a/b.js',
    ];
    const report = await deploy(type, make(names));
    expect(await paths(report.version_id)).toEqual(['a/b.js', 'index.html']);
  });

  it('stores content once, however often it is in the archive', async () => {
    const { app, deploy } = await prepare();
    await deploy(
      'zip',
      zipOf([
        { name: 'a', content: 'same' },
        { name: 'b', content: 'same' },
      ]),
    );
    expect(await app.db.selectFrom('blobs').select('sha256').execute()).toHaveLength(1);
    expect(await storedNames(app)).toHaveLength(1);
  });

  it('keeps a version unpublished when asked', async () => {
    const { context, site } = await prepare();
    const content = Readable.from(inChunks(zipOf([page])));
    const input = { site_id: site.id, publish: false, message: 'look first', source: 'cli' };
    const report = await deployArchive(context, input, { type: 'zip', content });
    expect(report.is_published).toBe(false);
    const { items } = await listVersions(context, { site_id: site.id });
    expect(items).toMatchObject([{ is_current: false, message: 'look first', source: 'cli' }]);
  });

  it('is refused unread while the organization is sending as many as can wait: each lies on the disk', async () => {
    const { app, context, site, deploy } = await prepare();
    const other = (await createTestPerson(app)).context;
    const own = await createSite(other, { name: 'Other' });
    const senders = Array.from({ length: 18 }, () => new PassThrough());
    const sent = senders.map((content) =>
      deployArchive(context, { site_id: site.id }, { type: 'zip', content }).catch(() => 'ended'),
    );
    await expect.poll(() => storedNames(app)).toHaveLength(18);
    await expect(deploy('zip', zipOf([page]))).rejects.toMatchObject({ code: 'organization_busy' });
    const content = Readable.from([zipOf([page])]);
    await deployArchive(other, { site_id: own.id }, { type: 'zip', content });
    for (const sender of senders) sender.destroy(new Error('gone'));
    expect(await Promise.all(sent)).toEqual(Array(18).fill('ended'));
    expect(await deploy('zip', zipOf([page]))).toMatchObject({ file_count: 1 });
  });

  it('is refused while other archives of the organization hold as much of the disk as two of the largest', async () => {
    const { app, context, site, deploy } = await prepare({ DEPLOY_MAX_VERSION_BYTES: '4096' });
    const senders = [new PassThrough(), new PassThrough()];
    const sent = senders.map((content) =>
      deployArchive(context, { site_id: site.id }, { type: 'zip', content }).catch(({ code }) => code),
    );
    for (const sender of senders) sender.write(Buffer.alloc(4000));
    await expect.poll(() => isHolding(app, context.organization.id, 8000)).toBe(true);
    const third = deploy('zip', zipOf([{ name: 'a.txt', content: 'a'.repeat(500), isStored: true }]));
    await expect(third).rejects.toMatchObject({ code: 'organization_busy' });
    for (const sender of senders) sender.destroy(new Error('gone'));
    expect(await Promise.all(sent)).toEqual(Array(2).fill('upload_interrupted'));
    expect(await deploy('zip', zipOf([page]))).toMatchObject({ file_count: 1 });
  });

  it('is closed to readers, strangers and credentials of other sites', async () => {
    const { app, context, site } = await prepare();
    const reader = await joinOrganization(await createTestPerson(app), context.organization.id, 'read');
    const stranger = (await createTestPerson(app)).context;
    const deployAs = (as: typeof context) =>
      deployArchive(as, { site_id: site.id }, { type: 'zip', content: Readable.from([zipOf([page])]) });
    await expect(deployAs(reader)).rejects.toMatchObject({ code: 'permission_required' });
    await expect(deployAs(stranger)).rejects.toMatchObject({ code: 'site_not_found' });
    await expect(deployAs(credentialContext(context, ['other']))).rejects.toMatchObject({
      code: 'out_of_scope',
    });
    await expectNothingLeft(app);
  });

  it('publishes nothing for whom the right was taken away while it arrived', async () => {
    const { app, context, site } = await prepare();
    const member = await createTestPerson(app);
    const joined = await joinOrganization(member, context.organization.id, 'write');
    const credential = await storedCredentialContext(context, [site.id]);
    const { credentialId } = credential.actor;
    const memberships = app.db.updateTable('memberships').where('user_id', '=', member.user.id);
    const leave = app.db.deleteFrom('memberships').where('user_id', '=', member.user.id);
    const losses: [OrganizationContext, string, () => Promise<unknown>][] = [
      [joined, 'permission_required', () => memberships.set({ permission: 'read' }).execute()],
      [joined, 'organization_not_found', () => leave.execute()],
      [credential, 'out_of_scope', () => updateScopes(context, { credential_id: credentialId, scopes: [] })],
      [credential, 'credential_invalid', () => deleteCredential(context, { credential_id: credentialId })],
      [context, 'unauthenticated', () => app.db.deleteFrom('sessions').execute()],
    ];
    for (const [as, code, lose] of losses) {
      const content = new PassThrough();
      const deploying = deployArchive(as, { site_id: site.id }, { type: 'zip', content });
      const archive = zipOf([page]);
      content.write(archive.subarray(0, 20));
      await expect.poll(() => isHolding(app, context.organization.id, 20)).toBe(true);
      await lose();
      content.end(archive.subarray(20));
      await expect(deploying, code).rejects.toMatchObject({ code });
    }
    await expectNothingLeft(app);
  });
});

it('the file of a zip archive keeps nothing of entries that have been read', async () => {
  const { deploy } = await prepare();
  const warnings: string[] = [];
  const note = ({ message }: Error) => warnings.push(message);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  await deploy(
    'zip',
    zipOf(Array.from({ length: 60 }, (_, at) => ({ name: `${at}.txt`, content: `${at}` }))),
  );
  expect(warnings.filter((warning) => warning.includes('listeners'))).toEqual([]);
});

describe('a zip archive that cannot be accepted', () => {
  /** Open files of this process that no longer have a name: their bytes stay on the disk. */
  async function openWithoutName(): Promise<string[]> {
    const links = await readdir('/proc/self/fd');
    const targets = await Promise.all(links.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
    return targets.filter((target) => target.includes('portage-') && target.endsWith(' (deleted)'));
  }
  const noise = Array.from({ length: 40 }, (_, index) => ({
    name: `${index}.bin`,
    content: randomBytes(400_000),
  }));

  it('with damaged content is refused, however long the disk takes to open a file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'portage-slow-'));
    let isSlow = false;
    const blobs = await openDirectoryStore(folder, {
      openFile: async (path, flags, mode) => {
        if (isSlow) await delay(100);
        isSlow = true;
        return open(path, flags, mode);
      },
    });
    const { context, site } = await prepare({}, { blobs });
    const bytes = zipOf([{ name: 'a.txt', content: randomBytes(300_000).toString('base64') }, page]);
    // In the middle of what inflate reads: an error of the stream, long before its end.
    bytes.fill(0xff, 40, 400);
    const content = Readable.from(inChunks(bytes));
    await expect(
      deployArchive(context, { site_id: site.id }, { type: 'zip', content }),
    ).rejects.toMatchObject({
      code: 'archive_invalid',
    });
    await rm(folder, { recursive: true });
  });

  it.runIf(process.platform === 'linux')(
    'frees the disk immediately when its content exceeds the limit',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'portage-full-'));
      let opened = 0;
      const blobs = await openDirectoryStore(folder, {
        openFile: (path, flags, mode) => {
          opened += 1;
          return opened > 3 ? open('/dev/full', 'r+') : open(path, flags, mode);
        },
      });
      const { context, site } = await prepare({}, { blobs });
      const content = Readable.from(inChunks(zipOf(noise)));
      await expect(
        deployArchive(context, { site_id: site.id }, { type: 'zip', content }),
      ).rejects.toMatchObject({
        code: 'storage_full',
      });
      await pollUntil(openWithoutName, (open) => open.length === 0, 40);
      await rm(folder, { recursive: true });
    },
  );
});

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
    const { app, deploy } = await prepare({
      DEPLOY_MAX_FILES: '20',
      DEPLOY_MAX_FILE_BYTES: '2000000',
      DEPLOY_MAX_VERSION_BYTES: '4000000',
    });
    await expect(deploy('zip', zipOf(entries))).rejects.toMatchObject({ code });
    await expectNothingLeft(app);
  });

  it('one that is cut off, or not a zip at all', async () => {
    const { app, deploy } = await prepare();
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
    const { app, deploy } = await prepare();
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
    const { app, deploy } = await prepare();
    await expect(deploy('tar', tarOf([page, entry]))).rejects.toMatchObject({ code });
    await expectNothingLeft(app);
  });

  it('a sparse file, which has no type of its own in the newer format', async () => {
    const { app, deploy } = await prepare();
    const sparse = { name: 'own', type: 'x', content: '22 GNU.sparse.major=1\n' };
    await expect(deploy('tar', tarOf([sparse, page]))).rejects.toMatchObject({
      code: 'archive_entry_refused',
    });
    await expectNothingLeft(app);
  });

  it('one that is cut off anywhere, even between two files', async () => {
    const { app, deploy } = await prepare();
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
    const { app, context, site } = await prepare();
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
