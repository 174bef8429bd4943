import { describe, expect, it } from 'vitest';
import { auditRows } from '#tests/support/app/audit.ts';
import { credentialContext, storedCredentialContext } from '#tests/support/app/credential-context.ts';
import { deployTestFiles, manifestOf, sha256Of } from '#tests/support/app/deploy.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson, joinOrganization } from '#tests/support/app/test-person.ts';
import { createSite } from '../sites/create-site.ts';
import { deleteSite } from '../sites/delete-site.ts';
import { cancelVersion } from './cancel-version.ts';
import { getVersion } from './get-version.ts';
import { listVersions } from './list-versions.ts';
import { listVersionFiles } from './manifests/list-version-files.ts';
import { openVersion } from './open-version.ts';

async function prepare(environment: Record<string, string> = {}) {
  const app = await createTestApp({ environment });
  const person = await createTestPerson(app);
  const { context } = person;
  const site = await createSite(context, { name: 'blog' });
  return { app, person, context, site };
}

const oneFile = { files: manifestOf({ 'index.html': 'hello' }) };

describe('opening a version', () => {
  it('returns a number, what is missing and where to send it', async () => {
    const { app, context, site } = await prepare();
    const version = await openVersion(context, {
      site_id: site.id,
      files: manifestOf({ 'index.html': 'hello', 'copy.html': 'hello', 'b.txt': 'b' }),
      message: ' first ',
      source: 'cli',
    });
    expect(version).toMatchObject({ number: 1, missing: [sha256Of('hello'), sha256Of('b')].sort() });
    expect(version.upload_url).toBe(
      `${app.config.publicUrl}/api/v1/sites/${site.id}/versions/${version.id}/blobs`,
    );
    const detail = await getVersion(context, { site_id: site.id, version_id: version.id });
    expect(detail).toMatchObject({
      message: 'first',
      source: 'cli',
      sealed_at: null,
      is_current: false,
      reverted_at: null,
      file_count: 3,
      total_bytes: 11,
      report: null,
    });
    expect(detail.preview_url).toContain(`//${version.id}--blog.${app.config.sitesDomain}`);
  });

  it('records who opened it and where it came from', async () => {
    const { person, context, site } = await prepare();
    await openVersion(context, { site_id: site.id, ...oneFile });
    await openVersion(await storedCredentialContext(context, [site.id]), { site_id: site.id, ...oneFile });
    const { items } = await listVersions(context, { site_id: site.id });
    expect(items.map((version) => [version.source, version.created_by])).toEqual([
      ['api', 'CI'],
      ['console', person.user.login],
    ]);
    const actions = (await auditRows(context, site.id)).map((row) => row.action);
    expect(actions.filter((action) => action === 'version.open')).toHaveLength(2);
  });

  it('requests only what the organization has never sent', async () => {
    const { context, site } = await prepare();
    await deployTestFiles(context, site.id, { 'index.html': 'hello', 'a.txt': 'a' });
    const other = await createSite(context, { name: 'other' });
    const files = manifestOf({ 'renamed.html': 'hello', 'b.txt': 'b' });
    expect((await openVersion(context, { site_id: other.id, files })).missing).toEqual([sha256Of('b')]);
  });

  it('stores paths in one form, whatever the sender uses', async () => {
    const { context, site } = await prepare();
    const { id } = await openVersion(context, {
      site_id: site.id,
      files: manifestOf({ 'e\u0301.html': 'x' }),
    });
    const { items } = await listVersionFiles(context, { site_id: site.id, version_id: id });
    expect(items).toEqual([
      { path: '\u00e9.html', sha256: sha256Of('x'), size: 1, content_type: 'text/html; charset=utf-8' },
    ]);
  });

  it('pages through files and versions without losing or repeating any', async () => {
    const { context, site } = await prepare();
    const names = Array.from({ length: 7 }, (_, index) => `f${index}-é.txt`);
    const files = manifestOf(Object.fromEntries(names.map((name) => [name, name])));
    const { id } = await openVersion(context, { site_id: site.id, files });
    const paths: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listVersionFiles(context, { site_id: site.id, version_id: id, limit: 3, cursor });
      paths.push(...page.items.map((file) => file.path));
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    expect(paths).toEqual(names);
    for (let count = 0; count < 4; count += 1) await openVersion(context, { site_id: site.id, ...oneFile });
    const first = await listVersions(context, { site_id: site.id, limit: 3 });
    const second = await listVersions(context, {
      site_id: site.id,
      limit: 3,
      cursor: first.next_cursor ?? '',
    });
    expect([...first.items, ...second.items].map((version) => version.number)).toEqual([5, 4, 3, 2, 1]);
    expect(second.next_cursor).toBeNull();
  });

  it('gives each of many opened at the same time its own number', async () => {
    const { context, site } = await prepare();
    const versions = await Promise.all(
      Array.from({ length: 8 }, () => openVersion(context, { site_id: site.id, ...oneFile })),
    );
    expect(versions.map((version) => version.number).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('refuses what cannot be deployed and names it', async () => {
    const { context, site } = await prepare({
      DEPLOY_MAX_FILES: '2',
      DEPLOY_MAX_FILE_BYTES: '10',
      DEPLOY_MAX_VERSION_BYTES: '15',
    });
    const sha256 = sha256Of('x');
    const open = (files: Record<string, number>) =>
      openVersion(context, {
        site_id: site.id,
        files: Object.fromEntries(
          Object.entries(files).map(([path, size]) => [path, { sha256: sha256Of(`${path}${size}`), size }]),
        ),
      });
    await expect(open({})).rejects.toMatchObject({ code: 'manifest_empty' });
    await expect(open({ '../a': 1 })).rejects.toMatchObject({
      code: 'unsafe_path',
      params: { path: '../a' },
    });
    await expect(open({ 'a.html': 1, 'A.html': 1 })).rejects.toMatchObject({
      code: 'path_collision',
      params: { path: 'A.html', other: 'a.html' },
    });
    await expect(open({ a: 1, b: 1, c: 1 })).rejects.toMatchObject({
      code: 'limit_files',
      params: { limit: 2 },
    });
    await expect(open({ a: 11 })).rejects.toMatchObject({ code: 'limit_file_bytes', params: { path: 'a' } });
    await expect(open({ a: 8, b: 8 })).rejects.toMatchObject({ code: 'limit_version_bytes' });
    const twoSizes = { a: { sha256, size: 1 }, b: { sha256, size: 2 } };
    await expect(openVersion(context, { site_id: site.id, files: twoSizes })).rejects.toMatchObject({
      code: 'size_mismatch',
    });
    expect((await listVersions(context, { site_id: site.id })).items).toEqual([]);
  });

  it('is closed to readers, strangers, credentials of other sites and deleted sites', async () => {
    const { app, context, site } = await prepare();
    const input = { site_id: site.id, ...oneFile };
    const reader = await joinOrganization(await createTestPerson(app), context.organization.id, 'read');
    const stranger = (await createTestPerson(app)).context;
    await expect(openVersion(reader, input)).rejects.toMatchObject({ code: 'permission_required' });
    await expect(openVersion(stranger, input)).rejects.toMatchObject({ code: 'site_not_found' });
    await expect(listVersions(stranger, { site_id: site.id })).rejects.toMatchObject({
      code: 'site_not_found',
    });
    await expect(openVersion(credentialContext(context, ['x']), input)).rejects.toMatchObject({
      code: 'out_of_scope',
    });
    const readOnly = credentialContext(context, [site.id], ['read']);
    await expect(openVersion(readOnly, input)).rejects.toMatchObject({ code: 'out_of_scope' });
    await expect(listVersions(readOnly, { site_id: site.id })).resolves.toMatchObject({ items: [] });
    await expect(listVersions(reader, { site_id: site.id })).resolves.toMatchObject({ items: [] });
    await deleteSite(context, { site_id: site.id });
    await expect(openVersion(context, input)).rejects.toMatchObject({ code: 'site_not_found' });
  });
});

describe('cancelling a version', () => {
  it('discards one that is open and records it', async () => {
    const { context, site } = await prepare();
    const version = await openVersion(context, { site_id: site.id, ...oneFile });
    await cancelVersion(context, { site_id: site.id, version_id: version.id });
    expect((await listVersions(context, { site_id: site.id })).items).toEqual([]);
    expect((await auditRows(context, site.id)).at(-1)).toMatchObject({ action: 'version.cancel' });
  });

  it('refuses one that is sealed, and strangers', async () => {
    const { app, context, site } = await prepare();
    const { version_id } = await deployTestFiles(context, site.id, { 'index.html': 'hello' });
    const input = { site_id: site.id, version_id };
    await expect(cancelVersion(context, input)).rejects.toMatchObject({ code: 'version_sealed' });
    const stranger = (await createTestPerson(app)).context;
    await expect(cancelVersion(stranger, input)).rejects.toMatchObject({ code: 'site_not_found' });
  });
});
