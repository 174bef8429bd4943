import { describe, expect, it } from 'vitest';
import { createDeployWork, DEPLOY_WORK_LIMITS } from '#server/concurrency/deploy-work.ts';
import { OrganizationQueue } from '#server/concurrency/organization-queue.ts';
import { auditRows } from '#tests/support/app/audit.ts';
import { credentialContext } from '#tests/support/app/credential-context.ts';
import { deployTestFiles, manifestOf, uploadTestVersion } from '#tests/support/app/deploy.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson, joinOrganization } from '#tests/support/app/test-person.ts';
import { createEdgePorts } from '../serving/edge-ports.ts';
import { createSite } from '../sites/create-site.ts';
import { getSite } from '../sites/get-site.ts';
import { getVersion } from './get-version.ts';
import { listVersions } from './list-versions.ts';
import { openVersion } from './open-version.ts';
import { rollbackSite } from './rollback-site.ts';
import { sealVersion } from './seal-version.ts';

async function prepare() {
  const app = await createTestApp();
  const { context } = await createTestPerson(app);
  const site = await createSite(context, { name: 'blog' });
  const seal = (version_id: string, publish?: boolean) =>
    sealVersion(context, { site_id: site.id, version_id, publish });
  const currentId = async () => (await getSite(context, { site_id: site.id })).current_version_id;
  return { app, context, site, seal, currentId };
}

describe('sealing a version', () => {
  it('keeps a report small, however many rules are invalid, and says how many there are', async () => {
    const { context, site } = await prepare();
    const nonsense = `/:${'é'.repeat(30)} /${'x'.repeat(1_900)}/:${'y'.repeat(40)}\n`;
    const report = await deployTestFiles(context, site.id, {
      'index.html': 'x',
      _redirects: nonsense.repeat(250),
      _headers: `${'z'.repeat(1_000)}\n`.repeat(400),
    });
    expect(report.problem_count).toBe(650);
    expect(report.problems).toHaveLength(100);
    expect(Buffer.byteLength(JSON.stringify(report.problems))).toBeLessThan(64 * 1024);
  });

  it('publishes it and returns what changed', async () => {
    const { app, context, site, currentId } = await prepare();
    const first = await deployTestFiles(context, site.id, { 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' });
    expect(first).toMatchObject({
      compared_with: null,
      added: 3,
      changed: 0,
      removed: 0,
      new_bytes: 3,
      is_published: true,
    });
    const second = await deployTestFiles(context, site.id, {
      'a.txt': 'a',
      'b.txt': 'bb',
      'd.txt': 'c',
      'e.txt': 'bb',
    });
    expect(second).toEqual({
      version_id: expect.any(String),
      superseded_by: null,
      compared_with: first.version_id,
      added: 2,
      changed: 1,
      removed: 1,
      unchanged: 1,
      file_count: 4,
      total_bytes: 6,
      new_bytes: 2,
      changes: [
        { path: 'b.txt', change: 'changed', size: 2 },
        { path: 'c.txt', change: 'removed', size: 1 },
        { path: 'd.txt', change: 'added', size: 1 },
        { path: 'e.txt', change: 'added', size: 2 },
      ],
      redirect_count: 0,
      header_rule_count: 0,
      problems: [],
      problem_count: 0,
      is_published: true,
      live_url: app.config.siteUrl('blog.sites.localhost'),
      preview_url: app.config.siteUrl(`${second.version_id}--blog.sites.localhost`),
    });
    expect(await currentId()).toBe(second.version_id);
    expect((await getVersion(context, { site_id: site.id, version_id: second.version_id })).report).toEqual(
      second,
    );
  });

  it('records it and announces it to the edge after the commit', async () => {
    const { app, context, site, seal } = await prepare();
    const id = await uploadTestVersion(context, site.id, { 'index.html': 'x' });
    const seen: Promise<string | null>[] = [];
    app.edgeChanges.subscribe((change) => {
      expect(change).toEqual({ site_id: site.id, hostname: null });
      seen.push(getSite(context, { site_id: site.id }).then((found) => found.current_version_id));
    });
    await seal(id);
    expect(await Promise.all(seen)).toEqual([id]);
    expect((await auditRows(context, site.id)).at(-1)).toMatchObject({
      action: 'version.seal',
      before: { version_id: null },
      after: { version_id: id, number: 1, published: true },
    });
  });

  it('again changes nothing and returns the same', async () => {
    const { app, context, site, seal, currentId } = await prepare();
    const first = await deployTestFiles(context, site.id, { 'index.html': '1' });
    const second = await deployTestFiles(context, site.id, { 'index.html': '2' });
    app.clock.advance(1000);
    const before = await listVersions(context, { site_id: site.id });
    const rows = (await auditRows(context, site.id)).length;
    expect(await seal(first.version_id)).toEqual(first);
    expect(await seal(second.version_id)).toEqual(second);
    expect(await currentId()).toBe(second.version_id);
    expect(await listVersions(context, { site_id: site.id })).toEqual(before);
    expect(await auditRows(context, site.id)).toHaveLength(rows);
  });

  it('can defer publishing until requested', async () => {
    const { context, site, seal, currentId } = await prepare();
    const id = await uploadTestVersion(context, site.id, { 'index.html': 'x' });
    expect(await seal(id, false)).toMatchObject({ is_published: false });
    expect(await currentId()).toBeNull();
    expect(await seal(id, true)).toMatchObject({ is_published: true });
    expect(await currentId()).toBe(id);
    expect((await auditRows(context, site.id)).map((row) => row.action).slice(-2)).toEqual([
      'version.seal',
      'version.publish',
    ]);
  });

  it('does not publish what was reverted in the meantime', async () => {
    const { context, site, seal, currentId } = await prepare();
    const first = await deployTestFiles(context, site.id, { 'index.html': '1' });
    await deployTestFiles(context, site.id, { 'index.html': '2' });
    const waiting = await uploadTestVersion(context, site.id, { 'index.html': '3' });
    await seal(waiting, false);
    await rollbackSite(context, { site_id: site.id, version_id: first.version_id });
    await expect(seal(waiting, true)).rejects.toMatchObject({ code: 'version_reverted' });
    expect(await currentId()).toBe(first.version_id);
  });

  it('refuses while content is missing and says how much', async () => {
    const { context, site, seal, currentId } = await prepare();
    await deployTestFiles(context, site.id, { 'c.txt': 'c' });
    const live = await currentId();
    const files = manifestOf({ 'a.txt': 'a', 'b.txt': 'b', 'also-a.txt': 'a', 'c.txt': 'c' });
    const { id } = await openVersion(context, { site_id: site.id, files });
    await expect(seal(id)).rejects.toMatchObject({
      code: 'version_incomplete',
      params: { count: 2, path: 'a.txt' },
    });
    expect(await currentId()).toBe(live);
  });

  it('of two deploys at once both are sealed and the later publish wins', async () => {
    const { context, site, currentId } = await prepare();
    const reports = await Promise.all(
      [1, 2, 3, 4].map((n) =>
        deployTestFiles(context, site.id, { 'index.html': `${n}`, [`${n}.txt`]: `${n}` }),
      ),
    );
    const { items } = await listVersions(context, { site_id: site.id });
    expect(items.every((version) => version.sealed_at !== null && version.reverted_at === null)).toBe(true);
    expect(items.filter((version) => version.is_current).map((version) => version.id)).toEqual([
      await currentId(),
    ]);
    expect(reports.map((report) => report.version_id)).toContain(await currentId());
  });

  it('of one version by two at the same time happens once', async () => {
    const { context, site, seal } = await prepare();
    const id = await uploadTestVersion(context, site.id, { 'index.html': 'x' });
    const [first, ...others] = await Promise.all([seal(id), seal(id), seal(id)]);
    for (const other of others) expect(other).toEqual(first);
    const actions = (await auditRows(context, site.id)).map((row) => row.action);
    expect(actions.filter((action) => action === 'version.seal')).toHaveLength(1);
  });

  it('of one version by forty at the same time checks it once, and answers all the same', async () => {
    const { app, context, site, seal } = await prepare();
    const id = await uploadTestVersion(context, site.id, { 'index.html': 'x'.repeat(5000) });
    let asked = 0;
    let begun = 0;
    const allAsked = Promise.withResolvers<void>();
    const { sealing } = app.deployWork;
    const join = sealing.run.bind(sealing);
    app.deployWork.sealing = Object.assign(sealing, {
      run: (key: string, work: Parameters<typeof join>[1]) => {
        asked += 1;
        if (asked === 40) allAsked.resolve();
        return join(key, work);
      },
    });
    const seals = new OrganizationQueue(DEPLOY_WORK_LIMITS.seals);
    const run = seals.run.bind(seals);
    app.deployWork.seals = Object.assign(seals, {
      run: async <T>(key: string, work: () => Promise<T>) => {
        begun += 1;
        await allAsked.promise;
        return run(key, work);
      },
    });
    const reports = await Promise.all(Array.from({ length: 40 }, () => seal(id)));
    for (const report of reports) expect(report).toEqual(reports[0]);
    expect(begun).toBe(1);
  });

  it('in two processes at the same time checks it one after the other', async () => {
    const { app, context, site, seal } = await prepare();
    const id = await uploadTestVersion(context, site.id, { 'index.html': 'x' });
    const elsewhere = { ...context, app: { ...app, deployWork: createDeployWork() } };
    const [here, there] = await Promise.all([
      seal(id),
      sealVersion(elsewhere, { site_id: site.id, version_id: id }),
    ]);
    expect(there).toEqual(here);
    expect(await app.db.selectFrom('leases').selectAll().execute()).toEqual([]);
  });

  it('of an older version than the current one leaves the current one in place, and says so', async () => {
    const { context, site, seal, currentId } = await prepare();
    const older = await uploadTestVersion(context, site.id, { 'index.html': 'older' });
    const newer = await uploadTestVersion(context, site.id, { 'index.html': 'newer' });
    expect(await seal(newer)).toMatchObject({ is_published: true, superseded_by: null });
    expect(await seal(older)).toMatchObject({ is_published: false, superseded_by: 2 });
    expect(await seal(older)).toMatchObject({ is_published: false, superseded_by: 2 });
    expect(await currentId()).toBe(newer);
    await rollbackSite(context, { site_id: site.id, version_id: older });
    expect(await currentId()).toBe(older);
  });

  it('stores the rules of _redirects and _headers and reports the lines left out', async () => {
    const { app, context, site } = await prepare();
    const report = await deployTestFiles(context, site.id, {
      'index.html': 'x',
      _redirects: '/old /new 301\nnonsense\n/a/* /b/:splat 200\n',
      _headers: '/*\n  X-Robots-Tag: none\n  Connection: close\n',
    });
    expect(report).toMatchObject({ redirect_count: 2, header_rule_count: 1 });
    expect(report.problems.map((problem) => [problem.file, problem.line_number])).toEqual([
      ['_redirects', 2],
      ['_headers', 3],
    ]);
    expect(await createEdgePorts(app).loadVersion(report.version_id)).toMatchObject({
      redirects: [{ from: '/old', to: '/new', status: 301 }, { from: '/a/*' }],
      headers: [{ pattern: '/*' }],
    });
  });

  it('stores the same rules once, for any number of versions, and none when there are none', async () => {
    const { app, context, site } = await prepare();
    const files = { _redirects: '/old /new 301\n', _headers: '/*\n  X-Robots-Tag: none\n' };
    for (const page of ['first', 'second']) {
      const other = await createSite(context, { name: page });
      for (const { id } of [site, other])
        await deployTestFiles(context, id, { 'index.html': page, ...files });
    }
    const without = await deployTestFiles(context, site.id, { 'index.html': 'third' });
    const versions = await app.db.selectFrom('site_versions').select(['id', 'rules_sha256']).execute();
    const [set, ...others] = await app.db.selectFrom('rule_sets').selectAll().execute();
    expect(others).toEqual([]);
    expect(versions.filter(({ rules_sha256 }) => rules_sha256 === set?.sha256)).toHaveLength(4);
    expect(versions.find(({ id }) => id === without.version_id)?.rules_sha256).toBeNull();
    expect(await createEdgePorts(app).loadVersion(without.version_id)).toMatchObject({
      redirects: [],
      headers: [],
    });
  });

  it('is closed to readers, strangers and credentials of other sites', async () => {
    const { app, context, site } = await prepare();
    const version_id = await uploadTestVersion(context, site.id, { 'index.html': 'x' });
    const input = { site_id: site.id, version_id };
    const reader = await joinOrganization(await createTestPerson(app), context.organization.id, 'read');
    const stranger = (await createTestPerson(app)).context;
    await expect(sealVersion(reader, input)).rejects.toMatchObject({ code: 'permission_required' });
    await expect(sealVersion(stranger, input)).rejects.toMatchObject({ code: 'site_not_found' });
    await expect(sealVersion(credentialContext(context, ['x']), input)).rejects.toMatchObject({
      code: 'out_of_scope',
    });
    await expect(getVersion(stranger, input)).rejects.toMatchObject({ code: 'site_not_found' });
  });
});
