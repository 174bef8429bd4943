import { describe, expect, it } from 'vitest';
import { auditRows } from '#tests/support/app/audit.ts';
import { credentialContext } from '#tests/support/app/credential-context.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson, joinOrganization } from '#tests/support/app/test-person.ts';
import { atOnce } from '#tests/support/at-once.ts';
import { createSite } from '../sites/create-site.ts';
import { deleteSite } from '../sites/delete-site.ts';
import { createBucket } from '../storage/buckets/create-bucket.ts';
import { createCredential } from './create-credential.ts';
import { deleteCredential } from './delete-credential.ts';
import { getCredential } from './get-credential.ts';
import { listCredentials } from './list-credentials.ts';
import type { Scope } from './schema.ts';
import { updateScopes } from './update-scopes.ts';

function siteScope(resource_id: string): Scope {
  return { resource_type: 'site', resource_id, permissions: ['read', 'write'] };
}

describe('createCredential', () => {
  it('returns the secret once and stores it only sealed', async () => {
    const app = await createTestApp();
    const { context } = await createTestPerson(app);
    const site = await createSite(context, { name: 'Blog' });
    const created = await createCredential(context, {
      name: '  CI ',
      description: ' ',
      expires_at: '2026-04-01T08:00:00-04:00',
      scopes: [siteScope(site.id)],
    });
    expect(created.secret_key).toMatch(/^ptgsk_[\w-]{43}$/);
    expect(created.credential).toMatchObject({
      name: 'CI',
      description: null,
      is_active: true,
      last_used_at: null,
      expires_at: '2026-04-01T12:00:00.000Z',
      scopes: [{ ...siteScope(site.id), resource_name: 'Blog' }],
    });
    expect(created.credential.public_key).toMatch(/^ptgpk_[a-z0-9]{20}$/);
    expect(await getCredential(context, { credential_id: created.credential.id })).toEqual(
      created.credential,
    );
    expect(await listCredentials(context)).toEqual([created.credential]);
    const rows = await app.db.selectFrom('credentials').selectAll().execute();
    const audit = await auditRows(context, created.credential.id);
    expect(audit.map((row) => row.action)).toEqual(['credential.create']);
    expect(JSON.stringify([rows, audit])).not.toContain(created.secret_key);
    expect(rows[0] && app.sealer.open(rows[0].secret_sealed, rows[0].id)).toBe(created.secret_key);
    expect(() => app.sealer.open(rows[0]?.secret_sealed ?? '', 'another row')).toThrow();
  });

  it('gives access to nothing when no scope is chosen', async () => {
    const { context } = await createTestPerson(await createTestApp());
    const created = await createCredential(context, { name: 'CI' });
    expect(created.credential).toMatchObject({ scopes: [], expires_at: null });
  });

  it('accepts one entry per resource, even when sent twice', async () => {
    const { context } = await createTestPerson(await createTestApp());
    const site = await createSite(context, { name: 'Blog' });
    const scope = { resource_type: 'site' as const, resource_id: site.id };
    const { credential } = await createCredential(context, {
      name: 'CI',
      scopes: [
        { ...scope, permissions: ['write'] },
        { ...scope, permissions: ['read'] },
      ],
    });
    expect(credential.scopes).toMatchObject([{ permissions: ['read', 'write'] }]);
  });

  it.each([
    ['an empty name', { name: '  ' }, 'credential_name_required'],
    ['an expiry in the past', { name: 'CI', expires_at: '2026-03-01T12:00:00Z' }, 'invalid_input'],
    [
      'a site that does not exist',
      { name: 'CI', scopes: [siteScope('unknown')] },
      'scope_resource_not_found',
    ],
    [
      'a bucket',
      { name: 'CI', scopes: [{ ...siteScope('b'), resource_type: 'bucket' as const }] },
      'scope_resource_not_found',
    ],
  ])('refuses %s', async (_, input, code) => {
    const { context } = await createTestPerson(await createTestApp());
    await expect(createCredential(context, input)).rejects.toMatchObject({ code });
    expect(await listCredentials(context)).toEqual([]);
  });

  it('refuses a site of another organization and a deleted one', async () => {
    const app = await createTestApp();
    const { context } = await createTestPerson(app);
    const stranger = await createTestPerson(app);
    const foreign = await createSite(stranger.context, { name: 'foreign' });
    const deleted = await createSite(context, { name: 'deleted' });
    await deleteSite(context, { site_id: deleted.id });
    for (const id of [foreign.id, deleted.id]) {
      await expect(createCredential(context, { name: 'CI', scopes: [siteScope(id)] })).rejects.toMatchObject({
        code: 'scope_resource_not_found',
        params: { resource: `site ${id}` },
      });
    }
  });
});

describe('credentials', () => {
  it('are listed newest first and do not name resources that are gone', async () => {
    const app = await createTestApp();
    const { context } = await createTestPerson(app);
    const site = await createSite(context, { name: 'Blog' });
    await createCredential(context, { name: 'old', scopes: [siteScope(site.id)] });
    app.clock.advance(1000);
    await createCredential(context, { name: 'new' });
    await deleteSite(context, { site_id: site.id });
    expect(await listCredentials(context)).toMatchObject([
      { name: 'new', scopes: [] },
      { name: 'old', scopes: [{ resource_id: site.id, resource_name: null }] },
    ]);
  });

  it('get other scopes, which is recorded with before and after', async () => {
    const { context } = await createTestPerson(await createTestApp());
    const [one, two] = [
      await createSite(context, { name: 'one' }),
      await createSite(context, { name: 'two' }),
    ];
    const { credential } = await createCredential(context, { name: 'CI', scopes: [siteScope(one.id)] });
    const input = { credential_id: credential.id, scopes: [siteScope(two.id)] };
    expect(await updateScopes(context, input)).toMatchObject({ scopes: [{ resource_name: 'two' }] });
    expect((await auditRows(context, credential.id)).at(-1)).toMatchObject({
      action: 'credential.scopes',
      before: { scopes: [siteScope(one.id)] },
      after: { scopes: [siteScope(two.id)] },
    });
    const recorded = await auditRows(context, credential.id);
    expect(await updateScopes(context, input)).toMatchObject({ scopes: [{ resource_name: 'two' }] });
    expect(await auditRows(context, credential.id)).toEqual(recorded);
    await expect(updateScopes(context, { ...input, scopes: [siteScope('no')] })).rejects.toMatchObject({
      code: 'scope_resource_not_found',
    });
    expect(await getCredential(context, input)).toMatchObject({ scopes: [{ resource_name: 'two' }] });
    expect(await updateScopes(context, { ...input, scopes: [] })).toMatchObject({ scopes: [] });
  });

  it('have the scopes that one of several people gave them, not those of all, when all do at the same time', async () => {
    const app = await createTestApp();
    const { context } = await createTestPerson(app);
    const names = ['one', 'two', 'three'];
    const sites = await Promise.all(names.map((name) => createSite(context, { name })));
    for (let round = 0; round < 5; round += 1) {
      const { credential } = await createCredential(context, { name: 'CI', scopes: [] });
      const ended = await atOnce(
        app,
        sites.map(
          ({ id }) =>
            () =>
              updateScopes(context, {
                credential_id: credential.id,
                scopes: [siteScope(id)],
              }),
        ),
      );
      expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
      expect((await getCredential(context, { credential_id: credential.id })).scopes).toHaveLength(1);
    }
  });

  it('are deleted once, however many ask at the same time', async () => {
    const app = await createTestApp();
    const { context } = await createTestPerson(app);
    const { credential } = await createCredential(context, { name: 'CI', scopes: [] });
    const input = { credential_id: credential.id };
    const ended = await atOnce(
      app,
      [1, 2, 3].map(() => () => deleteCredential(context, input)),
    );
    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const actions = (await auditRows(context, credential.id)).map(({ action }) => action);
    expect(actions).toEqual(['credential.create', 'credential.delete']);
  });

  it('get no further access to buckets without object storage, and keep what they had', async () => {
    const { context } = await createTestPerson(await createTestApp());
    const site = await createSite(context, { name: 'Blog' });
    const [one, two] = [
      await createBucket(context, { name: 'bucket-one' }),
      await createBucket(context, { name: 'bucket-two' }),
    ];
    const bucketScope = ({ id }: { id: string }): Scope => ({ ...siteScope(id), resource_type: 'bucket' });
    const { credential } = await createCredential(context, { name: 'CI', scopes: [bucketScope(one)] });
    const without = { ...context, organization: { ...context.organization, features: [] } };
    const ofCredential = { credential_id: credential.id };
    for (const attempt of [
      () => createCredential(without, { name: 'more', scopes: [bucketScope(one)] }),
      () => createCredential(without, { name: 'more', may_create_buckets: true }),
      () => updateScopes(without, { ...ofCredential, scopes: [bucketScope(one), bucketScope(two)] }),
      () => updateScopes(without, { ...ofCredential, scopes: [bucketScope(one)], may_create_buckets: true }),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'feature_missing' });
    }
    const scopes = [siteScope(site.id), bucketScope(one)];
    expect(await updateScopes(without, { ...ofCredential, scopes })).toMatchObject({ scopes });
    expect(await createCredential(without, { name: 'sites', scopes: [siteScope(site.id)] })).toBeDefined();
  });

  it('are gone once deleted', async () => {
    const { context } = await createTestPerson(await createTestApp());
    const { credential } = await createCredential(context, { name: 'CI' });
    const input = { credential_id: credential.id };
    await deleteCredential(context, input);
    expect(await listCredentials(context)).toEqual([]);
    expect((await auditRows(context, credential.id)).at(-1)?.action).toBe('credential.delete');
    await expect(deleteCredential(context, input)).rejects.toMatchObject({ code: 'credential_not_found' });
    await expect(getCredential(context, input)).rejects.toMatchObject({ code: 'credential_not_found' });
  });

  it('are managed by admins, read by members, and never touched by credentials or other organizations', async () => {
    const app = await createTestApp();
    const { context, organization } = await createTestPerson(app);
    const { credential } = await createCredential(context, { name: 'CI' });
    const input = { credential_id: credential.id };
    const writer = await joinOrganization(await createTestPerson(app), organization.id, 'write');
    expect(await listCredentials(writer)).toHaveLength(1);
    const attempts = (asked: typeof writer) => [
      () => createCredential(asked, { name: 'more' }),
      () => updateScopes(asked, { ...input, scopes: [] }),
      () => deleteCredential(asked, input),
    ];
    for (const attempt of attempts(writer)) {
      await expect(attempt()).rejects.toMatchObject({ code: 'permission_required' });
    }
    const itself = credentialContext(context, []);
    const reads = [() => listCredentials(itself), () => getCredential(itself, input)];
    for (const attempt of [...attempts(itself), ...reads]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'person_required' });
    }
    const stranger = (await createTestPerson(app)).context;
    expect(await listCredentials(stranger)).toEqual([]);
    await expect(getCredential(stranger, input)).rejects.toMatchObject({ code: 'credential_not_found' });
    await expect(deleteCredential(stranger, input)).rejects.toMatchObject({ code: 'credential_not_found' });
    await expect(updateScopes(stranger, { ...input, scopes: [] })).rejects.toMatchObject({
      code: 'credential_not_found',
    });
  });
});
