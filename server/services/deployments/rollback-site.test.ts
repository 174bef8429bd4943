import { describe, expect, it } from 'vitest';
import { auditRows } from '#tests/support/app/audit.ts';
import { storedCredentialContext } from '#tests/support/app/credential-context.ts';
import { deployTestFiles, uploadTestVersion } from '#tests/support/app/deploy.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson, joinOrganization } from '#tests/support/app/test-person.ts';
import { createSite } from '../sites/create-site.ts';
import { listVersions } from './list-versions.ts';
import { rollbackSite } from './rollback-site.ts';
import { sealVersion } from './seal-version.ts';

async function prepare(versions: number) {
  const app = await createTestApp();
  const { context } = await createTestPerson(app);
  const site = await createSite(context, { name: 'blog' });
  const ids: string[] = [];
  for (let number = 1; number <= versions; number += 1) {
    app.clock.advance(60_000);
    ids.push((await deployTestFiles(context, site.id, { 'index.html': `<h1>${number}</h1>` })).version_id);
  }
  const id = (number: number) => ids[number - 1] ?? '';
  const states = async () => {
    const page = await listVersions(context, { site_id: site.id });
    return page.items.map((version) => [version.number, version.is_current, version.reverted_at !== null]);
  };
  return { app, context, site, id, states };
}

describe('rolling a site back', () => {
  it('makes the version current and every newer sealed one reverted', async () => {
    const { context, site, id, states } = await prepare(3);
    const result = await rollbackSite(context, { site_id: site.id, version_id: id(1) });
    expect(result).toMatchObject({ version: { id: id(1), is_current: true }, reverted: 2 });
    expect(await states()).toEqual([
      [3, false, true],
      [2, false, true],
      [1, true, false],
    ]);
  });

  it('records who did it and announces the change to the edge', async () => {
    const { app, context, site, id } = await prepare(2);
    const changes: unknown[] = [];
    app.edgeChanges.subscribe((change) => changes.push(change));
    await rollbackSite(context, { site_id: site.id, version_id: id(1) });
    expect((await auditRows(context, site.id)).at(-1)).toMatchObject({
      action: 'site.rollback',
      actor_kind: 'person',
      before: { version_id: id(2) },
      after: { version_id: id(1), reverted: 1 },
    });
    expect(changes).toEqual([{ site_id: site.id, hostname: null }]);
  });

  it('lets a later deploy continue from there', async () => {
    const { context, site, id, states } = await prepare(2);
    await rollbackSite(context, { site_id: site.id, version_id: id(1) });
    await deployTestFiles(context, site.id, { 'index.html': 'later' });
    expect(await states()).toEqual([
      [3, true, false],
      [2, false, true],
      [1, false, false],
    ]);
  });

  it('leaves a version alone that is still being uploaded', async () => {
    const { context, site, id, states } = await prepare(2);
    const open = await uploadTestVersion(context, site.id, { 'index.html': 'open' });
    await rollbackSite(context, { site_id: site.id, version_id: id(1) });
    await sealVersion(context, { site_id: site.id, version_id: open });
    expect((await states())[0]).toEqual([3, true, false]);
  });

  it('refuses the current version, a reverted one and one that is not sealed', async () => {
    const { context, site, id } = await prepare(2);
    const open = await uploadTestVersion(context, site.id, { 'index.html': 'open' });
    const rollback = (version_id: string) => rollbackSite(context, { site_id: site.id, version_id });
    await expect(rollback(id(2))).rejects.toMatchObject({ code: 'version_is_current' });
    await expect(rollback(open)).rejects.toMatchObject({ code: 'version_not_sealed' });
    await rollback(id(1));
    await expect(rollback(id(2))).rejects.toMatchObject({ code: 'version_reverted' });
    await expect(rollback('nothing')).rejects.toMatchObject({ code: 'version_not_found' });
  });

  it('is closed to readers, to foreign organizations and to credentials of other sites', async () => {
    const { app, context, site, id } = await prepare(2);
    const input = { site_id: site.id, version_id: id(1) };
    const stranger = await createTestPerson(app);
    const reader = await joinOrganization(await createTestPerson(app), context.organization.id, 'read');
    await expect(rollbackSite(stranger.context, input)).rejects.toMatchObject({ code: 'site_not_found' });
    await expect(rollbackSite(reader, input)).rejects.toMatchObject({ code: 'permission_required' });
    const { id: elsewhere } = await createSite(context, { name: 'elsewhere' });
    const other = await storedCredentialContext(context, [elsewhere]);
    await expect(rollbackSite(other, input)).rejects.toMatchObject({ code: 'out_of_scope' });
    const own = await storedCredentialContext(context, [site.id]);
    await expect(rollbackSite(own, input)).resolves.toMatchObject({ reverted: 1 });
  });

  it('a version of another site is not found', async () => {
    const { context, id } = await prepare(2);
    const other = await createSite(context, { name: 'other' });
    await expect(rollbackSite(context, { site_id: other.id, version_id: id(1) })).rejects.toMatchObject({
      code: 'version_not_found',
    });
  });

  it('of two rollbacks at the same time, each decides on the other’s result', async () => {
    const { context, site, id, states } = await prepare(3);
    const results = await Promise.allSettled(
      [1, 2].map((number) => rollbackSite(context, { site_id: site.id, version_id: id(number) })),
    );
    const refused = results.filter((result) => result.status === 'rejected');
    for (const result of refused) expect(result.reason).toMatchObject({ code: 'version_reverted' });
    // Whichever came first, the oldest target ends up current and nothing newer is left.
    expect(await states()).toEqual([
      [3, false, true],
      [2, false, true],
      [1, true, false],
    ]);
  });
});
