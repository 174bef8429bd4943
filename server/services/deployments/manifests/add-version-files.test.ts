import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { countTurns } from '#tests/support/app/count-turns.ts';
import { credentialContext } from '#tests/support/app/credential-context.ts';
import { manifestOf, sha256Of } from '#tests/support/app/deploy.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson, joinOrganization } from '#tests/support/app/test-person.ts';
import { createSite } from '../../sites/create-site.ts';
import { listMissingBlobs } from '../blobs/list-missing-blobs.ts';
import { uploadBlob } from '../blobs/upload-blob.ts';
import { cancelVersion } from '../cancel-version.ts';
import { openVersion } from '../open-version.ts';
import { sealVersion } from '../seal-version.ts';
import { addVersionFiles } from './add-version-files.ts';
import { listVersionFiles } from './list-version-files.ts';

async function prepare(environment: Record<string, string> = {}) {
  const app = await createTestApp({ environment });
  const { context } = await createTestPerson(app);
  const { id: site_id } = await createSite(context, { name: 'blog' });
  const open = async () => ({ site_id, version_id: (await openVersion(context, { site_id })).id });
  const send = async (version: { site_id: string; version_id: string }, content: string) =>
    uploadBlob(context, { ...version, sha256: sha256Of(content) }, Readable.from([Buffer.from(content)]));
  return { app, context, site_id, open, send };
}

/** Files without their own content, so that a test need not send it. */
function manyFiles(count: number, from = 0) {
  const entry = { sha256: sha256Of('x'), size: 1 };
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`f/${from + index}.txt`, entry]));
}

describe('a manifest in parts', () => {
  it('results in the same version as a manifest in one piece', async () => {
    const { context, open, send } = await prepare();
    const version = await open();
    const first = await addVersionFiles(context, { ...version, files: manifestOf({ 'a.txt': 'a' }) });
    expect(first).toEqual({ file_count: 1, total_bytes: 1, missing: [sha256Of('a')] });
    const files = manifestOf({ 'b/c.txt': 'bb', 'd.txt': 'a' });
    const second = await addVersionFiles(context, { ...version, files });
    expect(second).toMatchObject({ file_count: 3, total_bytes: 4 });
    for (const content of ['a', 'bb']) await send(version, content);
    expect(await sealVersion(context, { ...version, file_count: 3 })).toMatchObject({
      added: 3,
      file_count: 3,
      total_bytes: 4,
      is_published: true,
    });
    const { items } = await listVersionFiles(context, version);
    expect(items.map((item) => item.path)).toEqual(['a.txt', 'b/c.txt', 'd.txt']);
  });

  it('continues after an interruption: a part sent again changes nothing', async () => {
    const { context, open } = await prepare();
    const version = await open();
    const files = manifestOf({ 'a.txt': 'a', 'b.txt': 'b' });
    const first = await addVersionFiles(context, { ...version, files });
    const [again, beside] = await Promise.all([
      addVersionFiles(context, { ...version, files }),
      addVersionFiles(context, { ...version, files }),
    ]);
    expect(again).toEqual(first);
    expect(beside).toEqual(first);
  });

  it('is not sealed while a part of it is missing', async () => {
    const { context, open } = await prepare();
    const version = await open();
    await expect(sealVersion(context, version)).rejects.toMatchObject({ code: 'manifest_empty' });
    await addVersionFiles(context, { ...version, files: manifestOf({ 'a.txt': 'a' }) });
    await expect(sealVersion(context, { ...version, file_count: 2 })).rejects.toMatchObject({
      code: 'manifest_incomplete',
      params: { count: 1, expected: 2 },
    });
  });

  it.each([
    [{ 'readme.md': 'a' }, { 'README.md': 'a' }, 'path_collision'],
    [{ 'docs/a.txt': 'a' }, { docs: 'a' }, 'path_under_file'],
    [{ Docs: 'a' }, { 'docs/deep/a.txt': 'a' }, 'path_under_file'],
  ])('is refused at the seal when paths of two parts collide: %j and %j', async (one, other, code) => {
    const { context, open, send } = await prepare();
    const version = await open();
    await addVersionFiles(context, { ...version, files: manifestOf({ ...one, 'docs-2.txt': 'a' } as never) });
    await addVersionFiles(context, { ...version, files: manifestOf(other as never) });
    await send(version, 'a');
    await expect(sealVersion(context, version)).rejects.toMatchObject({ code });
  });

  it('counts all parts against the limits', async () => {
    const limits = { DEPLOY_MAX_FILES: '3', DEPLOY_MAX_VERSION_BYTES: '10' };
    const { context, open } = await prepare(limits);
    const version = await open();
    await addVersionFiles(context, { ...version, files: manifestOf({ a: '1', b: '2' }) });
    const add = (files: Record<string, string>) =>
      addVersionFiles(context, { ...version, files: manifestOf(files) });
    await expect(add({ c: '3', d: '4' })).rejects.toMatchObject({ code: 'limit_files' });
    await expect(add({ c: '123456789' })).rejects.toMatchObject({ code: 'limit_version_bytes' });
    expect(await add({ c: '3' })).toMatchObject({ file_count: 3, total_bytes: 3 });
  });

  it('refuses other content for a path, and invalid entries', async () => {
    const { context, open } = await prepare();
    const version = await open();
    await addVersionFiles(context, { ...version, files: manifestOf({ 'a.txt': 'a' }) });
    const add = (files: unknown) => addVersionFiles(context, { ...version, files: files as never });
    await expect(add(manifestOf({ 'a.txt': 'b' }))).rejects.toMatchObject({ code: 'file_differs' });
    for (const entry of [null, 'x', {}, { sha256: 'x', size: 1 }, { sha256: sha256Of('a'), size: -1 }]) {
      await expect(add({ 'b.txt': entry })).rejects.toMatchObject({ code: 'invalid_input' });
    }
    await expect(add({})).rejects.toMatchObject({ code: 'manifest_empty' });
  });

  it('is closed after the seal and after cancelling, and to actors who may not deploy', async () => {
    const { app, context, open } = await prepare();
    const version = await open();
    const files = manifestOf({ 'a.txt': 'a' });
    const reader = await joinOrganization(await createTestPerson(app), context.organization.id, 'read');
    const stranger = (await createTestPerson(app)).context;
    const add = (by: typeof context) => addVersionFiles(by, { ...version, files });
    await expect(add(reader)).rejects.toMatchObject({ code: 'permission_required' });
    await expect(add(stranger)).rejects.toMatchObject({ code: 'site_not_found' });
    await expect(add(credentialContext(context, ['x']))).rejects.toMatchObject({ code: 'out_of_scope' });
    await cancelVersion(context, version);
    await expect(add(context)).rejects.toMatchObject({ code: 'version_not_found' });
  });

  it('of thousands of files lets other work run, from the first file to the last', async () => {
    const { context, site_id, open, send } = await prepare();
    const version = await open();
    const opened = await countTurns(() => openVersion(context, { site_id, files: manyFiles(20_000) }));
    const added = await countTurns(() => addVersionFiles(context, { ...version, files: manyFiles(20_000) }));
    await send(version, 'x');
    const missing = await countTurns(() => listMissingBlobs(context, version));
    expect(missing.result).toEqual({ missing: [], next_cursor: null });
    const sealed = await countTurns(() => sealVersion(context, version));
    expect(sealed.result.file_count).toBe(20_000);
    const dropped = await countTurns(() => cancelVersion(context, { site_id, version_id: opened.result.id }));
    for (const { longestShare } of [opened, added, sealed, dropped]) expect(longestShare).toBeLessThan(0.7);
  });
});
