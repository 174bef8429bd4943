import { randomBytes } from 'node:crypto';
import { mkdtemp, open, readdir, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { OrganizationContext } from '#server/context.ts';
import { openDirectoryStore } from '#server/store/directory/directory-store.ts';
import { expectNothingLeft, page, prepareArchives, storedNames } from '#tests/support/app/archive-deploys.ts';
import { credentialContext, storedCredentialContext } from '#tests/support/app/credential-context.ts';
import type { TestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson, joinOrganization } from '#tests/support/app/test-person.ts';
import { inChunks, tarOf, zipOf } from '#tests/support/archives.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { deleteCredential } from '../../credentials/delete-credential.ts';
import { updateScopes } from '../../credentials/update-scopes.ts';
import { createSite } from '../../sites/create-site.ts';
import { getVersion } from '../get-version.ts';
import { listVersions } from '../list-versions.ts';
import type { ArchiveType } from '../rules.ts';
import { deployArchive } from './deploy-archive.ts';

/** Whether archives of the organization hold at least this many bytes of the disk. */
function isHolding({ deployWork }: TestApp, organizationId: string, bytes: number): boolean {
  const hasRoom = deployWork.archiveBytes.take(organizationId, 1, bytes);
  if (hasRoom) deployWork.archiveBytes.give(organizationId, 1);
  return !hasRoom;
}

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
    const { app, context, site, deploy, paths } = await prepareArchives();
    const report = await deploy(type, bytes);
    expect(report).toMatchObject({ added: 3, file_count: 3, is_published: true, problems: [] });
    expect(await paths(report.version_id)).toEqual(['a/b.txt', 'index.html', 'stored.txt']);
    const version = await getVersion(context, { site_id: site.id, version_id: report.version_id });
    expect(version).toMatchObject({ is_current: true, number: 1 });
    expect((await storedNames(app)).filter((name) => name.includes('-'))).toEqual([]);
  });

  it('tar: whatever attributes its files have', async () => {
    const { deploy, paths } = await prepareArchives();
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
    const { deploy, paths } = await prepareArchives();
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
    const { app, deploy } = await prepareArchives();
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
    const { context, site } = await prepareArchives();
    const content = Readable.from(inChunks(zipOf([page])));
    const input = { site_id: site.id, publish: false, message: 'look first', source: 'cli' };
    const report = await deployArchive(context, input, { type: 'zip', content });
    expect(report.is_published).toBe(false);
    const { items } = await listVersions(context, { site_id: site.id });
    expect(items).toMatchObject([{ is_current: false, message: 'look first', source: 'cli' }]);
  });

  it('is refused unread while the organization is sending as many as can wait: each lies on the disk', async () => {
    const { app, context, site, deploy } = await prepareArchives();
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
    const { app, context, site, deploy } = await prepareArchives({ DEPLOY_MAX_VERSION_BYTES: '4096' });
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
    const { app, context, site } = await prepareArchives();
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
    const { app, context, site } = await prepareArchives();
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
  const { deploy } = await prepareArchives();
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
    const { context, site } = await prepareArchives({}, { blobs });
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
      // Other tests of this process may have left some, such as a lock that ends with the process.
      const before = new Set(await openWithoutName());
      const folder = await mkdtemp(join(tmpdir(), 'portage-full-'));
      let opened = 0;
      const blobs = await openDirectoryStore(folder, {
        openFile: (path, flags, mode) => {
          opened += 1;
          return opened > 3 ? open('/dev/full', 'r+') : open(path, flags, mode);
        },
      });
      const { context, site } = await prepareArchives({}, { blobs });
      const content = Readable.from(inChunks(zipOf(noise)));
      await expect(
        deployArchive(context, { site_id: site.id }, { type: 'zip', content }),
      ).rejects.toMatchObject({
        code: 'storage_full',
      });
      await pollUntil(openWithoutName, (open) => open.every((path) => before.has(path)), 40);
      await rm(folder, { recursive: true });
    },
  );
});
