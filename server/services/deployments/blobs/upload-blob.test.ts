import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { AppError } from '#server/errors.ts';
import { credentialContext } from '#tests/support/app/credential-context.ts';
import { deployTestFiles, manifestOf, sha256Of, type TestFiles } from '#tests/support/app/deploy.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson, joinOrganization } from '#tests/support/app/test-person.ts';
import { inChunks, tarOf, tarOfFiles } from '#tests/support/archives.ts';
import { createSite } from '../../sites/create-site.ts';
import { getSite } from '../../sites/get-site.ts';
import { deployArchive } from '../archives/deploy-archive.ts';
import { openVersion } from '../open-version.ts';
import { sealVersion } from '../seal-version.ts';
import { listMissingBlobs } from './list-missing-blobs.ts';
import { uploadBlob } from './upload-blob.ts';
import { uploadBlobBatch } from './upload-blob-batch.ts';

async function prepare(files: TestFiles = { 'index.html': 'hello', 'big.bin': Buffer.alloc(2_500_000, 1) }) {
  const app = await createTestApp();
  const { context } = await createTestPerson(app);
  const site = await createSite(context, { name: 'blog' });
  const version = await openVersion(context, { site_id: site.id, files: manifestOf(files) });
  const input = { site_id: site.id, version_id: version.id };
  const send = (sha256: string, ...chunks: (string | Buffer)[]) =>
    uploadBlob(context, { ...input, sha256 }, Readable.from(chunks.map((chunk) => Buffer.from(chunk))));
  const sendBatch = (tar: Buffer) => uploadBlobBatch(context, input, Readable.from(inChunks(tar, 7000)));
  const missing = async () => (await listMissingBlobs(context, input)).missing;
  return { app, context, site, version, input, send, sendBatch, missing };
}

const hello = sha256Of('hello');
const big = sha256Of(Buffer.alloc(2_500_000, 1));

async function temporaryFiles(dataDir: string): Promise<string[]> {
  const root = join(dataDir, 'blobs', 'tmp');
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

describe('uploading the content of a version', () => {
  it('keeps what has arrived and requests only the rest', async () => {
    const { send, missing } = await prepare();
    expect((await missing()).sort()).toEqual([hello, big].sort());
    expect(await send(hello, 'hel', 'lo')).toEqual({ sha256: hello, size: 5 });
    expect(await missing()).toEqual([big]);
  });

  it('accepts the same content again, also at the same time', async () => {
    const { app, send, missing } = await prepare();
    await Promise.all([send(hello, 'hello'), send(hello, 'hello'), send(hello, 'hello')]);
    await send(hello, 'hello');
    expect(await missing()).toEqual([big]);
    expect(await temporaryFiles(app.config.dataDir)).toEqual([]);
  });

  it('refuses content that differs from the manifest, naming the file', async () => {
    const { app, send, missing } = await prepare();
    await expect(send(hello, 'jello')).rejects.toMatchObject({
      code: 'hash_mismatch',
      params: { path: 'index.html' },
    });
    await expect(send(hello, 'hell')).rejects.toMatchObject({
      code: 'size_mismatch',
      params: { path: 'index.html', actual: 4 },
    });
    await expect(send(hello, 'hello!')).rejects.toMatchObject({
      code: 'size_mismatch',
      params: { path: 'index.html' },
    });
    await expect(send(sha256Of('other'), 'other')).rejects.toMatchObject({ code: 'blob_not_expected' });
    expect(await missing()).toHaveLength(2);
    expect(await temporaryFiles(app.config.dataDir)).toEqual([]);
  });

  it('an upload that breaks off leaves nothing and can be repeated', async () => {
    const { app, context, input, send, missing } = await prepare();
    async function* broken() {
      yield Buffer.from('hel');
      throw new Error('socket hang up');
    }
    const upload = uploadBlob(context, { ...input, sha256: hello }, Readable.from(broken()));
    await expect(upload).rejects.toMatchObject({ code: 'upload_interrupted' });
    expect(await temporaryFiles(app.config.dataDir)).toEqual([]);
    await send(hello, 'hello');
    expect(await missing()).toEqual([big]);
  });

  it('a version that is sealed refuses another blob', async () => {
    const { context, input, send, sendBatch } = await prepare({ 'index.html': 'hello' });
    await send(hello, 'hello');
    await sealVersion(context, input);
    await expect(send(hello, 'hello')).rejects.toMatchObject({ code: 'version_sealed' });
    await expect(sendBatch(tarOfFiles({ [hello]: 'hello' }))).rejects.toMatchObject({
      code: 'version_sealed',
    });
    await expect(listMissingBlobs(context, input)).rejects.toMatchObject({ code: 'version_sealed' });
  });

  it('requires every organization to send its own copy, so that none learns what others store', async () => {
    const { app, send } = await prepare({ 'index.html': 'hello' });
    await send(hello, 'hello');
    const other = (await createTestPerson(app)).context;
    const site = await createSite(other, { name: 'theirs' });
    const version = await openVersion(other, { site_id: site.id, files: manifestOf({ 'a.txt': 'hello' }) });
    expect(version.missing).toEqual([hello]);
    const input = { site_id: site.id, version_id: version.id, sha256: hello };
    await expect(uploadBlob(other, input, Readable.from([Buffer.from('jello')]))).rejects.toMatchObject({
      code: 'hash_mismatch',
    });
    await uploadBlob(other, input, Readable.from([Buffer.from('hello')]));
    expect(await app.db.selectFrom('blobs').select('sha256').execute()).toHaveLength(1);
  });

  it('is closed to readers, strangers and credentials of other sites', async () => {
    const { app, context, input } = await prepare();
    const reader = await joinOrganization(await createTestPerson(app), context.organization.id, 'read');
    const stranger = (await createTestPerson(app)).context;
    const send = (as: typeof context) =>
      uploadBlob(as, { ...input, sha256: hello }, Readable.from([Buffer.from('hello')]));
    const sendBatch = (as: typeof context) =>
      uploadBlobBatch(as, input, Readable.from([tarOfFiles({ [hello]: 'hello' })]));
    for (const upload of [send, sendBatch]) {
      await expect(upload(reader)).rejects.toMatchObject({ code: 'permission_required' });
      await expect(upload(stranger)).rejects.toMatchObject({ code: 'site_not_found' });
      await expect(upload(credentialContext(context, ['other']))).rejects.toMatchObject({
        code: 'out_of_scope',
      });
    }
    await expect(send(credentialContext(context, [input.site_id]))).resolves.toMatchObject({ size: 5 });
  });
});

describe('uploading many contents as one tar stream', () => {
  it('accepts all of them and says what is still missing', async () => {
    const { sendBatch, missing } = await prepare({
      a: 'one',
      b: 'two',
      c: 'three',
      big: Buffer.alloc(2_500_000, 1),
    });
    const tar = tarOf([
      { name: sha256Of('one'), content: 'one' },
      { name: `./${sha256Of('two')}`, content: 'two' },
      { name: big, content: Buffer.alloc(2_500_000, 1) },
    ]);
    expect(await sendBatch(tar)).toEqual({ received: 3, missing_count: 1 });
    expect(await sendBatch(tar)).toEqual({ received: 0, missing_count: 1 });
    expect(await missing()).toEqual([sha256Of('three')]);
  });

  it('keeps what came before an error', async () => {
    const files = { a: 'one', b: 'two', c: 'three' };
    const { sendBatch, missing } = await prepare(files);
    const good = { name: sha256Of('one'), content: 'one' };
    const wrong: [Parameters<typeof tarOf>[0][number], string][] = [
      [{ name: sha256Of('two'), content: 'owt' }, 'hash_mismatch'],
      [{ name: sha256Of('two'), content: 'tw' }, 'size_mismatch'],
      [{ name: 'index.html', content: 'two' }, 'blob_not_expected'],
      [{ name: sha256Of('two'), type: '2', linkname: 'x' }, 'archive_entry_refused'],
    ];
    for (const [entry, code] of wrong) {
      await expect(sendBatch(tarOf([good, entry]))).rejects.toMatchObject({ code });
    }
    const cut = tarOf([
      { name: sha256Of('two'), content: 'two' },
      { name: sha256Of('three'), content: 'three' },
    ]);
    await expect(sendBatch(cut.subarray(0, 1538))).rejects.toMatchObject({ code: 'archive_invalid' });
    expect(await missing()).toEqual([sha256Of('three')]);
    await expect(sendBatch(Buffer.alloc(5000, 'x'))).rejects.toMatchObject({ code: 'archive_invalid' });
  });
});

describe('when the disk is full', () => {
  it('says so, and leaves the live site as it was and nothing behind', async () => {
    const { app, context, site } = await prepare();
    const live = await deployTestFiles(context, site.id, { 'index.html': 'live' });
    const full = { ...context, app: { ...app, blobs: fullStore(app.blobs) } };
    const version = await openVersion(full, { site_id: site.id, files: manifestOf({ 'index.html': 'new' }) });
    const input = { site_id: site.id, version_id: version.id };
    const sha256 = sha256Of('new');
    const full507 = { code: 'storage_full', status: 507 };
    await expect(
      uploadBlob(full, { ...input, sha256 }, Readable.from([Buffer.from('new')])),
    ).rejects.toMatchObject(full507);
    await expect(
      uploadBlobBatch(full, input, Readable.from([tarOfFiles({ [sha256]: 'new' })])),
    ).rejects.toMatchObject(full507);
    const content = Readable.from([tarOfFiles({ 'index.html': 'new' })]);
    await expect(deployArchive(full, { site_id: site.id }, { type: 'tar', content })).rejects.toMatchObject(
      full507,
    );
    expect(await getSite(context, { site_id: site.id })).toMatchObject({
      current_version_id: live.version_id,
    });
    await expect(sealVersion(context, input)).rejects.toMatchObject({
      code: 'version_incomplete',
      params: { path: 'index.html', count: 1 },
    });
    const owned = app.db.selectFrom('organization_blobs').selectAll().where('sha256', '=', sha256);
    expect(await owned.execute()).toEqual([]);
    expect(await temporaryFiles(app.config.dataDir)).toEqual([]);
  });
});

function fullStore(store: Parameters<typeof Object.create>[0] & object) {
  const fail = async () => {
    throw new AppError('storage_full');
  };
  return Object.assign(Object.create(store), { put: fail, stage: fail });
}
