import { describe, expect, it } from 'vitest';
import { createRateLimits } from '#server/limits/rate-limits.ts';
import { auditRows } from '#tests/support/app/audit.ts';
import { credentialContext } from '#tests/support/app/credential-context.ts';
import { createNamedOrganization, enterOrganization } from '#tests/support/app/named-organization.ts';
import { operatorContext } from '#tests/support/app/operator-context.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { atOnce } from '#tests/support/at-once.ts';
import { createOrganization } from './create-organization.ts';
import { getOrganization } from './get-organization.ts';
import { listOrganizations } from './list-organizations.ts';
import { createOrganizationInput } from './schema.ts';

const rivers = { name: 'Rivers', handle: 'rivers' };

describe('createOrganization', () => {
  it('creates an organization with its creator as owner, its own number and the default features', async () => {
    const app = await createTestApp({ environment: { DEFAULT_FEATURES: 'object_storage' } });
    const person = await createTestPerson(app);
    const created = await createOrganization(person.context, {
      ...rivers,
      description: 'Water',
      website: 'https://rivers.example.ca',
      location: '',
    });
    expect(created).toMatchObject({
      permission: 'owner',
      organization: {
        external_id: expect.stringMatching(/^org-\d+$/),
        name: 'Rivers',
        handle: 'rivers',
        description: 'Water',
        website: 'https://rivers.example.ca',
        location: null,
        avatar_url: null,
        features: ['object_storage'],
        public_url: `${app.config.publicUrl}/identity/organizations/rivers`,
        is_managed_here: true,
        suspended_at: null,
      },
    });
    expect(await listOrganizations(person.context)).toContainEqual(created);
    const context = await enterOrganization(person, created.organization.id);
    expect(await getOrganization(context)).toEqual(created.organization);
    expect(await auditRows(context, context.organization.id)).toMatchObject([
      { action: 'organization.create', actor_name: person.user.login, after: { handle: 'rivers' } },
    ]);
  });

  it('keeps every field of the profile', async () => {
    const person = await createTestPerson(await createTestApp());
    const profile = {
      description: 'Water',
      website: 'https://rivers.example.ca',
      location: 'Trois-Rivières',
      avatar_url: 'https://rivers.example.ca/mark.png',
    };
    const { organization } = await createOrganization(person.context, { ...rivers, ...profile });
    expect(organization).toMatchObject(profile);
    const context = await enterOrganization(person, organization.id);
    expect(await getOrganization(context)).toMatchObject(profile);
  });

  it('refuses a handle that is taken, in its field, and leaves nothing behind', async () => {
    const app = await createTestApp();
    const person = await createTestPerson(app);
    await createOrganization(person.context, rivers);
    await expect(createOrganization(person.context, { ...rivers, handle: 'Rivers' })).rejects.toMatchObject({
      code: 'organization_handle_taken',
      params: { handle: 'rivers' },
      fields: [{ path: 'handle' }],
    });
    expect((await listOrganizations(person.context)).length).toBe(2);
    expect(await app.db.selectFrom('organization_numbers').selectAll().execute()).toHaveLength(1);
  });

  it('gives a handle to one of two who ask at the same time', async () => {
    const app = await createTestApp();
    const people = [await createTestPerson(app), await createTestPerson(app)];
    const results = await atOnce(
      app,
      people.map(
        ({ context }) =>
          () =>
            createOrganization(context, rivers),
      ),
    );
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'organization_handle_taken' },
    });
  });

  it('never assigns a number twice, nor one that an earlier identity service has used', async () => {
    const app = await createTestApp();
    const person = await createTestPerson(app);
    const numberOf = async () => {
      const { organization } = await createNamedOrganization(person);
      const row = app.db.selectFrom('organizations').select('external_id').where('id', '=', organization.id);
      return Number((await row.executeTakeFirstOrThrow()).external_id.replace('org-', ''));
    };
    const first = await numberOf();
    const foreign = { external_id: `org-${first + 1}`, issuer: 'https://code.example.ca', upstream_id: '2' };
    await app.db
      .updateTable('organizations')
      .set(foreign)
      .where('external_id', '=', person.organization.external_id)
      .execute();
    const second = await numberOf();
    expect(second).toBeGreaterThan(first + 1);
    expect(await numberOf()).toBeGreaterThan(second);
  });

  it('is for people only, and only when people sign in here', async () => {
    const app = await createTestApp();
    const person = await createTestPerson(app);
    const anonymous = { ...person.context, actor: { kind: 'anonymous' as const } };
    await expect(createOrganization(anonymous, rivers)).rejects.toMatchObject({ code: 'unauthenticated' });
    for (const context of [credentialContext(person.context, []), operatorContext(app)]) {
      await expect(createOrganization(context, rivers)).rejects.toMatchObject({ code: 'person_required' });
    }
    const oidc = { issuer: 'https://code.example.ca', clientId: 'portage', clientSecret: null };
    const elsewhere = { ...app, config: { ...app.config, oidc } };
    await expect(createOrganization({ ...person.context, app: elsewhere }, rivers)).rejects.toMatchObject({
      code: 'organization_managed_elsewhere',
    });
  });

  it('is limited for one person', async () => {
    const limits = createRateLimits({ organization_create_person: { points: 1, seconds: 60 } });
    const app = await createTestApp({ rateLimits: limits });
    const person = await createTestPerson(app);
    await createNamedOrganization(person);
    await expect(createOrganization(person.context, rivers)).rejects.toMatchObject({
      code: 'too_many_requests',
    });
    await createNamedOrganization(await createTestPerson(app));
  });

  it.each([
    [{ handle: 'a' }, 'handle'],
    [{ handle: 'new' }, 'handle'],
    [{ handle: '-rivers' }, 'handle'],
    [{ handle: 'ri vers' }, 'handle'],
    [{ handle: 'rivières' }, 'handle'],
    [{ name: ' ' }, 'name'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ website: 'javascript:alert(1)' }, 'website'],
    [{ avatar_url: 'data:text/html,x' }, 'avatar_url'],
  ])('refuses %o', (wrong, path) => {
    const parsed = createOrganizationInput.safeParse({ ...rivers, ...wrong });
    expect(parsed.error?.issues[0]?.path).toEqual([path]);
  });
});
