import { describe, expect, it } from 'vitest';
import { auditRows } from '#tests/support/app/audit.ts';
import { credentialContext } from '#tests/support/app/credential-context.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson, joinOrganization } from '#tests/support/app/test-person.ts';
import { atOnce } from '#tests/support/at-once.ts';
import { createSite } from './create-site.ts';
import { getSite } from './get-site.ts';
import { updateSite } from './update-site.ts';

describe('updateSite', () => {
  it('stores the fallback, tells the edges and records before and after', async () => {
    const app = await createTestApp();
    const { context } = await createTestPerson(app);
    const site = await createSite(context, { name: 'app1' });
    const announced: unknown[] = [];
    app.edgeChanges.subscribe((change) => announced.push(change));
    app.clock.advance(1000);
    const updated = await updateSite(context, { site_id: site.id, spa_fallback: true });
    expect(updated).toMatchObject({ spa_fallback: true, updated_at: '2026-03-01T12:00:01.000Z' });
    expect(await getSite(context, { site_id: site.id })).toEqual(updated);
    expect(announced).toEqual([{ site_id: site.id, hostname: null }]);
    expect((await auditRows(context, site.id)).at(-1)).toMatchObject({
      action: 'site.update',
      before: { spa_fallback: false },
      after: { spa_fallback: true },
    });
  });

  it('changes, records and announces nothing when nothing differs', async () => {
    const app = await createTestApp();
    const { context } = await createTestPerson(app);
    const site = await createSite(context, { name: 'app1' });
    const announced: unknown[] = [];
    app.edgeChanges.subscribe((change) => announced.push(change));
    expect(await updateSite(context, { site_id: site.id, spa_fallback: false })).toEqual(site);
    expect(announced).toEqual([]);
    expect(await auditRows(context, site.id)).toHaveLength(1);
  });

  it('keeps each of two settings that are changed at the same time', async () => {
    const app = await createTestApp();
    const { context } = await createTestPerson(app);
    for (let round = 0; round < 5; round += 1) {
      const site = await createSite(context, { name: `site-${round}` });
      await atOnce<unknown>(app, [
        () => updateSite(context, { site_id: site.id, spa_fallback: true }),
        () => updateSite(context, { site_id: site.id, keep_days: 3 }),
        () => updateSite(context, { site_id: site.id, keep_versions: 4 }),
      ]);
      const kept = await getSite(context, { site_id: site.id });
      expect(kept).toMatchObject({ spa_fallback: true, keep_days: 3, keep_versions: 4 });
    }
  });

  it('is refused to readers, to credentials without the site or without write, and to other organizations', async () => {
    const app = await createTestApp();
    const { context, organization } = await createTestPerson(app);
    const site = await createSite(context, { name: 'app1' });
    const input = { site_id: site.id, spa_fallback: true };
    const reader = await joinOrganization(await createTestPerson(app), organization.id, 'read');
    await expect(updateSite(reader, input)).rejects.toMatchObject({ code: 'permission_required' });
    await expect(updateSite(credentialContext(context, []), input)).rejects.toMatchObject({
      code: 'out_of_scope',
    });
    const readOnly = credentialContext(context, [site.id], ['read']);
    await expect(updateSite(readOnly, input)).rejects.toMatchObject({ code: 'out_of_scope' });
    const stranger = await createTestPerson(app);
    await expect(updateSite(stranger.context, input)).rejects.toMatchObject({ code: 'site_not_found' });
    const scoped = credentialContext(context, [site.id]);
    await expect(updateSite(scoped, input)).resolves.toMatchObject({ spa_fallback: true });
  });
});

describe('getSite', () => {
  it('gives a credential the same response for a foreign site, an unknown one and one outside its scopes', async () => {
    const app = await createTestApp();
    const { context } = await createTestPerson(app);
    const stranger = await createTestPerson(app);
    const site = await createSite(context, { name: 'one' });
    const foreign = await createSite(stranger.context, { name: 'two' });
    const credential = credentialContext(context, []);
    for (const site_id of [site.id, foreign.id, 'unknown']) {
      await expect(getSite(credential, { site_id })).rejects.toMatchObject({ code: 'out_of_scope' });
    }
    // A scope that names a foreign site grants nothing.
    const lying = credentialContext(context, [foreign.id]);
    await expect(getSite(lying, { site_id: foreign.id })).rejects.toMatchObject({ code: 'site_not_found' });
    await expect(getSite(stranger.context, { site_id: site.id })).rejects.toMatchObject({
      code: 'site_not_found',
    });
  });
});
