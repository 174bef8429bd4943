import { describe, expect, it } from 'vitest';
import type { RequestContext } from '#server/context.ts';
import { inUnitOfWork } from '#server/services/shared/unit-of-work.ts';
import { createTestApp, type TestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson, type TestPerson } from '#tests/support/app/test-person.ts';
import { applyUpstreamMemberships, type UpstreamOrganization } from './apply-upstream-memberships.ts';

const ISSUER = 'https://code.example.ca';
const RIVERS: UpstreamOrganization = {
  upstream_id: '12',
  handle: 'rivers',
  name: 'Rivers',
  description: 'All of them',
  website: 'https://rivers.example.ca',
  location: null,
  avatar_url: null,
  permission: 'write',
};
const LAKES: UpstreamOrganization = { ...RIVERS, upstream_id: '7', handle: 'lakes', name: 'Lakes' };

async function prepare() {
  const app = await createTestApp();
  const ada = await createTestPerson(app, { issuer: ISSUER, login: 'ada' });
  const grace = await createTestPerson(app, { issuer: ISSUER, login: 'grace' });
  await app.db.deleteFrom('audit_events').execute();
  return { app, ada, grace };
}

async function apply(
  app: TestApp,
  person: TestPerson,
  organizations: UpstreamOrganization[],
  issuer = ISSUER,
): Promise<void> {
  const context: RequestContext = {
    app,
    actor: { kind: 'anonymous' },
    requestId: 'request',
    address: '192.0.2.7',
  };
  await inUnitOfWork(context, (unit) =>
    applyUpstreamMemberships(unit, context, { user: person.user, issuer, organizations }),
  );
}

async function named(app: TestApp) {
  return app.db
    .selectFrom('organizations')
    .selectAll()
    .where('issuer', 'is not', null)
    .orderBy('external_id')
    .execute();
}

async function members(app: TestApp): Promise<string[]> {
  const rows = await app.db
    .selectFrom('memberships')
    .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['users.login', 'organizations.name', 'memberships.permission'])
    .where('organizations.issuer', 'is not', null)
    .execute();
  return rows.map(({ login, name, permission }) => `${login} ${name} ${permission}`).sort();
}

async function audit(app: TestApp) {
  const rows = await app.db.selectFrom('audit_events').selectAll().orderBy('id').execute();
  await app.db.deleteFrom('audit_events').execute();
  return rows.map(({ action, actor_kind, actor_name, before, after }) => ({
    action,
    actor: `${actor_kind} ${actor_name}`,
    before: before && JSON.parse(before),
    after: after && JSON.parse(after),
  }));
}

describe('memberships from another issuer', () => {
  it('create organizations with its numbers and the default features, and are recorded', async () => {
    const { app, ada } = await prepare();
    await apply(app, ada, [RIVERS, LAKES]);
    const { permission: _, ...profile } = RIVERS;
    const [rivers, lakes] = await named(app);
    expect(rivers).toMatchObject({ ...profile, external_id: 'org-12', issuer: ISSUER, detached_at: null });
    expect(JSON.parse(rivers?.features ?? '')).toEqual(['object_storage']);
    expect(lakes).toMatchObject({ external_id: 'org-7', name: 'Lakes' });
    expect(await members(app)).toEqual(['ada Lakes write', 'ada Rivers write']);
    const actor = 'job membership sync';
    expect(await audit(app)).toMatchObject([
      { action: 'organization.create', actor, after: { external_id: 'org-12', name: 'Rivers' } },
      { action: 'member.add', actor, after: { login: 'ada', permission: 'write' } },
      { action: 'organization.create', actor, after: { external_id: 'org-7', name: 'Lakes' } },
      { action: 'member.add', actor, after: { login: 'ada', permission: 'write' } },
    ]);
  });

  it('that have not changed write nothing', async () => {
    const { app, ada } = await prepare();
    await apply(app, ada, [RIVERS, LAKES]);
    const before = await named(app);
    await audit(app);
    app.clock.advance(60_000);
    await apply(app, ada, [LAKES, RIVERS]);
    expect(await named(app)).toEqual(before);
    expect(await audit(app)).toEqual([]);
  });

  it('keep an organization through every change of its names', async () => {
    const { app, ada } = await prepare();
    await apply(app, ada, [RIVERS]);
    const [before] = await named(app);
    await audit(app);
    await apply(app, ada, [{ ...RIVERS, handle: 'streams', name: 'Streams', website: null }]);
    const [after, ...others] = await named(app);
    expect(others).toEqual([]);
    expect(after).toMatchObject({
      id: before?.id,
      external_id: 'org-12',
      handle: 'streams',
      name: 'Streams',
    });
    expect(await audit(app)).toMatchObject([
      {
        action: 'organization.update',
        before: { handle: 'rivers', name: 'Rivers', website: 'https://rivers.example.ca' },
        after: { handle: 'streams', name: 'Streams', website: null },
      },
    ]);
  });

  it('may swap handles between two organizations', async () => {
    const { app, ada } = await prepare();
    await apply(app, ada, [RIVERS, LAKES]);
    await apply(app, ada, [
      { ...RIVERS, handle: 'lakes' },
      { ...LAKES, handle: 'rivers' },
    ]);
    expect((await named(app)).map(({ name, handle }) => `${name} ${handle}`)).toEqual([
      'Rivers lakes',
      'Lakes rivers',
    ]);
  });

  it('follow a changed permission', async () => {
    const { app, ada } = await prepare();
    await apply(app, ada, [RIVERS]);
    await audit(app);
    await apply(app, ada, [{ ...RIVERS, permission: 'owner' }]);
    expect(await members(app)).toEqual(['ada Rivers owner']);
    expect(await audit(app)).toMatchObject([
      { action: 'member.update', before: { permission: 'write' }, after: { permission: 'owner' } },
    ]);
  });

  it('that are no longer listed are removed, without affecting the others and other people’s', async () => {
    const { app, ada, grace } = await prepare();
    await apply(app, ada, [RIVERS, LAKES]);
    await apply(app, grace, [RIVERS]);
    await audit(app);
    await apply(app, ada, [LAKES]);
    expect(await members(app)).toEqual(['ada Lakes write', 'grace Rivers write']);
    expect(await audit(app)).toMatchObject([
      { action: 'member.remove', before: { login: 'ada', permission: 'write' } },
    ]);
  });

  it('detach an organization with the last member and attach it with the next, with everything in it', async () => {
    const { app, ada, grace } = await prepare();
    await apply(app, ada, [RIVERS]);
    await apply(app, grace, [RIVERS]);
    await apply(app, ada, []);
    expect(await named(app)).toMatchObject([{ detached_at: null }]);
    await audit(app);
    await apply(app, grace, []);
    const [detached] = await named(app);
    expect(detached?.detached_at).toBe(app.clock.now());
    expect((await audit(app)).map(({ action }) => action)).toEqual(['member.remove', 'organization.detach']);
    await apply(app, grace, [RIVERS]);
    expect(await named(app)).toMatchObject([{ id: detached?.id, detached_at: null }]);
    expect((await audit(app)).map(({ action }) => action)).toEqual(['organization.attach', 'member.add']);
  });

  it('affect neither the personal workspace nor organizations of other issuers', async () => {
    const { app, ada } = await prepare();
    await apply(app, ada, [RIVERS], 'https://other.example');
    await apply(app, ada, [RIVERS], 'embedded');
    await apply(app, ada, []);
    expect(await members(app)).toEqual(['ada Rivers write', 'ada Rivers write']);
    const workspace = await app.db
      .selectFrom('memberships')
      .selectAll()
      .where('organization_id', '=', ada.organization.id)
      .execute();
    expect(workspace).toMatchObject([{ permission: 'owner' }]);
  });

  it('never share a number with another issuer’s organization', async () => {
    const { app, ada } = await prepare();
    await apply(app, ada, [RIVERS], 'https://other.example');
    await apply(app, ada, [RIVERS]);
    await apply(app, ada, [{ ...LAKES, upstream_id: 'quebec/lakes', handle: null }]);
    const numbers = (await app.db.selectFrom('organizations').select('external_id').execute()).map(
      ({ external_id }) => external_id,
    );
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(numbers.filter((number) => /^org-\d{15,19}$/.test(number))).toHaveLength(2);
  });

  it('leave an organization suspended that an operator has suspended', async () => {
    const { app, ada } = await prepare();
    await apply(app, ada, [RIVERS]);
    await app.db.updateTable('organizations').set({ suspended_at: 5 }).where('issuer', '=', ISSUER).execute();
    await apply(app, ada, [{ ...RIVERS, name: 'Streams' }]);
    expect(await named(app)).toMatchObject([{ name: 'Streams', suspended_at: 5 }]);
  });

  it('reported twice at the same time are created once', async () => {
    const { app, ada } = await prepare();
    await Promise.all([1, 2, 3, 4].map(() => apply(app, ada, [RIVERS, LAKES])));
    expect(await named(app)).toHaveLength(2);
    expect(await members(app)).toEqual(['ada Lakes write', 'ada Rivers write']);
    expect((await audit(app)).map(({ action }) => action).sort()).toEqual([
      'member.add',
      'member.add',
      'organization.create',
      'organization.create',
    ]);
  });

  it('of two people at the same time, in any order, create one organization of each', async () => {
    const { app, ada, grace } = await prepare();
    await Promise.all([
      apply(app, ada, [RIVERS, LAKES]),
      apply(app, grace, [LAKES, { ...RIVERS, permission: 'owner' }]),
    ]);
    expect(await named(app)).toHaveLength(2);
    expect(await members(app)).toEqual([
      'ada Lakes write',
      'ada Rivers write',
      'grace Lakes write',
      'grace Rivers owner',
    ]);
    expect((await audit(app)).filter(({ action }) => action === 'organization.create')).toHaveLength(2);
  });

  it('of the last two people, lost at the same time, detach the organization', async () => {
    const { app, ada, grace } = await prepare();
    await apply(app, ada, [RIVERS, LAKES]);
    await apply(app, grace, [RIVERS, LAKES]);
    await audit(app);
    await Promise.all([apply(app, ada, []), apply(app, grace, [])]);
    for (const organization of await named(app)) expect(organization.detached_at).toBe(app.clock.now());
    const actions = (await audit(app)).map(({ action }) => action);
    expect(actions.filter((action) => action === 'organization.detach')).toHaveLength(2);
    expect(actions.filter((action) => action === 'member.remove')).toHaveLength(4);
  });
});
