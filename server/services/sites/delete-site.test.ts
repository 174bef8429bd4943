import { describe, expect, it } from 'vitest';
import { newId } from '#server/ids.ts';
import { auditRows } from '#tests/support/app/audit.ts';
import { credentialContext } from '#tests/support/app/credential-context.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson, joinOrganization } from '#tests/support/app/test-person.ts';
import { atOnce } from '#tests/support/at-once.ts';
import { createSite } from './create-site.ts';
import { deleteSite } from './delete-site.ts';
import { getSite } from './get-site.ts';
import { listSites } from './list-sites.ts';
import { purgeDeletedSites } from './purge-deleted-sites.ts';
import { restoreSite } from './restore-site.ts';
import { SITE_UNDO_MS } from './rules.ts';

async function withSite(name = 'blog') {
  const app = await createTestApp();
  const person = await createTestPerson(app);
  const site = await createSite(person.context, { name });
  return { app, person, context: person.context, site, input: { site_id: site.id } };
}

describe('deleteSite', () => {
  it('removes the site for everyone, tells the edges and records it', async () => {
    const { app, context, site, input } = await withSite();
    const announced: unknown[] = [];
    app.edgeChanges.subscribe((change) => announced.push(change));
    await deleteSite(context, input);
    await expect(getSite(context, input)).rejects.toMatchObject({ code: 'site_not_found' });
    expect((await listSites(context, {})).items).toEqual([]);
    expect(announced).toEqual([{ site_id: site.id, hostname: 'blog.sites.localhost' }]);
    expect((await auditRows(context, site.id)).map((row) => row.action)).toEqual([
      'site.create',
      'site.delete',
    ]);
    await expect(deleteSite(context, input)).rejects.toMatchObject({ code: 'site_not_found' });
  });

  it('is refused while the site has endpoints, and changes nothing', async () => {
    const { app, context, site, input } = await withSite();
    const now = app.clock.now();
    await app.db
      .insertInto('cdn_endpoints')
      .values({
        id: newId(),
        organization_id: context.organization.id,
        hostname: 'www.example.ca',
        cname_target: 'a.edge.localhost',
        origin_type: 'site',
        site_id: site.id,
        redirect_target: null,
        created_at: now,
        updated_at: now,
      })
      .execute();
    await expect(deleteSite(context, input)).rejects.toMatchObject({ code: 'site_has_endpoints' });
    expect((await getSite(context, input)).endpoint_count).toBe(1);
  });

  it('is for admins only, and another organization sees no site to delete', async () => {
    const { app, person, site, input } = await withSite();
    const writer = await joinOrganization(await createTestPerson(app), person.organization.id, 'write');
    const admin = await joinOrganization(await createTestPerson(app), person.organization.id, 'admin');
    const stranger = await createTestPerson(app);
    await expect(deleteSite(writer, input)).rejects.toMatchObject({ code: 'permission_required' });
    const credential = credentialContext(person.context, [site.id]);
    await expect(deleteSite(credential, input)).rejects.toMatchObject({ code: 'permission_required' });
    await expect(deleteSite(stranger.context, input)).rejects.toMatchObject({ code: 'site_not_found' });
    await expect(deleteSite(admin, input)).resolves.toBeUndefined();
  });

  it('lets one of two concurrent deletions through', async () => {
    const { context, input } = await withSite();
    const results = await Promise.allSettled([deleteSite(context, input), deleteSite(context, input)]);
    expect(results.map((result) => result.status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});

describe('restoreSite', () => {
  it('restores the same site within seven days, tells the edges and records it', async () => {
    const { app, context, site, input } = await withSite();
    await deleteSite(context, input);
    app.clock.advance(SITE_UNDO_MS - 1);
    const announced: unknown[] = [];
    app.edgeChanges.subscribe((change) => announced.push(change));
    expect(await restoreSite(context, input)).toMatchObject({ id: site.id, subdomain: 'blog' });
    expect(await getSite(context, input)).toMatchObject({ id: site.id });
    expect(announced).toEqual([{ site_id: site.id, hostname: 'blog.sites.localhost' }]);
    expect((await auditRows(context, site.id)).at(-1)?.action).toBe('site.restore');
  });

  it('returns a site that was not deleted as it is and records nothing', async () => {
    const { context, site, input } = await withSite();
    expect(await restoreSite(context, input)).toEqual(site);
    expect(await auditRows(context, site.id)).toHaveLength(1);
  });

  it('is refused after seven days, to writers and to other organizations', async () => {
    const { app, person, context, input } = await withSite();
    await deleteSite(context, input);
    const writer = await joinOrganization(await createTestPerson(app), person.organization.id, 'write');
    const stranger = await createTestPerson(app);
    await expect(restoreSite(writer, input)).rejects.toMatchObject({ code: 'permission_required' });
    await expect(restoreSite(stranger.context, input)).rejects.toMatchObject({ code: 'site_not_found' });
    app.clock.advance(SITE_UNDO_MS);
    await expect(restoreSite(context, input)).rejects.toMatchObject({ code: 'site_not_found' });
  });
});

describe('purgeDeletedSites', () => {
  it('removes sites after seven days with their versions and frees the name, and affects no other', async () => {
    const { app, context, site, input } = await withSite();
    const kept = await createSite(context, { name: 'kept' });
    const now = app.clock.now();
    await app.db
      .insertInto('site_versions')
      .values({
        id: 'version-1',
        organization_id: context.organization.id,
        site_id: site.id,
        number: 1,
        message: null,
        source: 'cli',
        created_by: 'mathilde',
        created_at: now,
        touched_at: now,
        sealed_at: now,
        reverted_at: null,
        published_at: now,
        replaced_at: null,
        file_count: 1,
        total_bytes: 1,
        report: null,
      })
      .execute();
    await deleteSite(context, input);
    const job = { ...context, actor: { kind: 'job' as const, name: 'purge' } };
    app.clock.advance(SITE_UNDO_MS - 1);
    expect(await purgeDeletedSites(job)).toEqual({ purged: 0 });
    app.clock.advance(1);
    expect(await purgeDeletedSites(job)).toEqual({ purged: 1 });
    expect(await purgeDeletedSites(job)).toEqual({ purged: 0 });
    expect(await app.db.selectFrom('site_versions').select('id').execute()).toEqual([]);
    expect((await listSites(context, {})).items.map((each) => each.id)).toEqual([kept.id]);
    expect((await createSite(context, { name: 'blog' })).subdomain).toBe('blog');
    expect((await auditRows(context, site.id)).at(-1)).toMatchObject({
      action: 'site.purge',
      actor_kind: 'job',
    });
  });
});

it('a site is deleted once and restored once, however many ask at the same time', async () => {
  const { app, context, site, input } = await withSite();
  const deletions = await atOnce(
    app,
    [1, 2, 3].map(() => () => deleteSite(context, input)),
  );
  expect(deletions.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  const restored = await atOnce(
    app,
    [1, 2, 3].map(() => () => restoreSite(context, input)),
  );
  expect(restored.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
  expect((await auditRows(context, site.id)).map(({ action }) => action)).toEqual([
    'site.create',
    'site.delete',
    'site.restore',
  ]);
});
