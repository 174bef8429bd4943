import { describe, expect, it } from 'vitest';
import { resolveOrganization } from '#server/services/organizations/resolve-organization.ts';
import { auditRows } from '#tests/support/app/audit.ts';
import { credentialContext } from '#tests/support/app/credential-context.ts';
import { deployTestFiles } from '#tests/support/app/deploy.ts';
import { insertNamedOrganization, operatorContext } from '#tests/support/app/operator-context.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson, joinOrganization } from '#tests/support/app/test-person.ts';
import { createSite } from '../sites/create-site.ts';
import { deleteSite } from '../sites/delete-site.ts';
import { getInstallationStats } from './get-installation-stats.ts';
import { getOrganizationForOperator } from './get-organization-for-operator.ts';
import { listOrganizationsForOperator } from './list-organizations-for-operator.ts';
import { resumeOrganization } from './resume-organization.ts';
import { setOrganizationFeatures } from './set-organization-features.ts';
import { setOrganizationMember } from './set-organization-member.ts';
import { suspendOrganization } from './suspend-organization.ts';

const ISSUER = 'https://code.example.ca';

async function prepare() {
  const app = await createTestApp();
  const person = await createTestPerson(app, { login: 'Ada', email: 'ada@rivers.example', full_name: 'Ada' });
  return { app, person, operator: operatorContext(app), organization_id: person.organization.id };
}

describe('an operator’s action', () => {
  it('is refused to everyone else, and changes are refused to operators with read access', async () => {
    const { app, person, organization_id } = await prepare();
    const reasoned = { organization_id, reason: 'x' };
    const member = { organization_id, member: 'Ada', permission: 'read' as const };
    const reads = [listOrganizationsForOperator, getInstallationStats];
    const refusal = { code: 'operator_required' };
    for (const context of [
      person.context,
      credentialContext(person.context, []),
      operatorContext(app, 'read'),
    ]) {
      await expect(suspendOrganization(context, reasoned)).rejects.toMatchObject(refusal);
      await expect(resumeOrganization(context, { organization_id })).rejects.toMatchObject(refusal);
      await expect(setOrganizationMember(context, member)).rejects.toMatchObject(refusal);
      const features = setOrganizationFeatures(context, { organization_id, features: [] });
      await expect(features).rejects.toMatchObject(refusal);
      if (context.actor.kind === 'operator') continue;
      for (const read of reads) await expect(read(context)).rejects.toMatchObject(refusal);
      await expect(getOrganizationForOperator(context, { organization_id })).rejects.toMatchObject(refusal);
    }
    const nobody = { ...operatorContext(app), actor: { kind: 'anonymous' as const } };
    await expect(getInstallationStats(nobody)).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('can read with a read-only token', async () => {
    const { app, organization_id } = await prepare();
    const reader = operatorContext(app, 'read');
    expect((await listOrganizationsForOperator(reader)).items).toMatchObject([{ id: organization_id }]);
    expect(await getInstallationStats(reader)).toMatchObject({ people: 1 });
  });

  it('names an organization by its id, its external id or its handle, in this order', async () => {
    const { app, person, operator } = await prepare();
    const id = await insertNamedOrganization(app, { handle: 'rivers' });
    const find = (organization_id: string) => getOrganizationForOperator(operator, { organization_id });
    for (const reference of [id, `org-${id}`, 'rivers']) expect((await find(reference)).id).toBe(id);
    await expect(find('lakes')).rejects.toMatchObject({ code: 'organization_not_found' });
    await insertNamedOrganization(app, { handle: person.organization.external_id });
    expect((await find(person.organization.external_id)).id).toBe(person.organization.id);
    await insertNamedOrganization(app, { handle: 'rivers', issuer: ISSUER });
    await expect(find('rivers')).rejects.toMatchObject({ code: 'invalid_input' });
  });
});

describe('listOrganizationsForOperator', () => {
  it('pages from the newest to the oldest', async () => {
    const { app, operator } = await prepare();
    for (let count = 0; count < 4; count += 1) {
      app.clock.advance(1);
      await insertNamedOrganization(app);
    }
    const all = (await listOrganizationsForOperator(operator)).items.map(({ id }) => id);
    expect(all).toHaveLength(5);
    expect(all).toEqual([...all].sort().reverse());
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listOrganizationsForOperator(operator, { limit: 2, cursor });
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.next_cursor ?? undefined;
    } while (cursor);
    expect(seen).toEqual(all);
  });

  it('finds by a part of name, handle and external id, and by members, in any case and without accents', async () => {
    const { app, person, operator } = await prepare();
    const id = await insertNamedOrganization(app, { name: 'Trois 100% Rivières', handle: 'three-rivers' });
    const found = async (search: string) =>
      (await listOrganizationsForOperator(operator, { search })).items.map((item) => item.id);
    for (const search of ['trois 1', '0%', 'rivieres', 'RIVIÈRES', 'Three-', `ORG-${id}`])
      expect(await found(search)).toEqual([id]);
    for (const search of ['ADA', 'ada@rivers.example'])
      expect(await found(search)).toEqual([person.organization.id]);
    expect(await found('o%s')).toEqual([]);
    expect(await found('_hree')).toEqual([]);
  });

  it('distinguishes suspended, detached and active ones', async () => {
    const { app, operator, organization_id } = await prepare();
    const detached = await insertNamedOrganization(app, { issuer: ISSUER, detached_at: 1 });
    const suspended = await insertNamedOrganization(app);
    await suspendOrganization(operator, { organization_id: suspended, reason: 'unpaid' });
    const inState = async (state: 'active' | 'suspended' | 'detached') =>
      (await listOrganizationsForOperator(operator, { state })).items;
    expect(await inState('active')).toMatchObject([{ id: organization_id, kind: 'personal' }]);
    expect(await inState('suspended')).toMatchObject([
      { id: suspended, kind: 'named', suspension_reason: 'unpaid' },
    ]);
    expect(await inState('detached')).toMatchObject([{ id: detached, is_managed_here: false }]);
  });
});

describe('getOrganizationForOperator and getInstallationStats', () => {
  it('count what exists, and each content once', async () => {
    const { app, person, operator, organization_id } = await prepare();
    const { context } = person;
    const site = await createSite(context, { name: 'blog' });
    const gone = await createSite(context, { name: 'gone' });
    await deleteSite(context, { site_id: gone.id });
    await deployTestFiles(context, site.id, { 'a.html': 'four', 'b.html': 'four', 'c.html': 'three' });
    const other = await createTestPerson(app);
    const theirs = await createSite(other.context, { name: 'theirs' });
    await deployTestFiles(other.context, theirs.id, { 'a.html': 'four' });
    await joinOrganization(other, organization_id, 'read');
    expect(await getOrganizationForOperator(operator, { organization_id })).toMatchObject({
      members: 2,
      owners: [{ login: 'Ada', full_name: 'Ada', email: 'ada@rivers.example' }],
      sites: 1,
      endpoints: 0,
      credentials: 0,
      stored_bytes: 9,
      last_deployed_at: '2026-03-01T12:00:00.000Z',
    });
    app.clock.advance(23 * 3_600_000);
    await insertNamedOrganization(app, { issuer: ISSUER, detached_at: 1 });
    const stats = await getInstallationStats(operator);
    expect(stats).toEqual({
      people: 2,
      personal_organizations: 2,
      named_organizations: 1,
      suspended_organizations: 0,
      detached_organizations: 1,
      sites: 2,
      versions: 2,
      stored_bytes: 9,
      deploys_last_day: 2,
      active_sessions: 2,
      active_credentials: 0,
      waiting_mails: 0,
      failed_mails: 0,
    });
    app.clock.advance(2 * 3_600_000);
    expect(await getInstallationStats(operator)).toMatchObject({ versions: 2, deploys_last_day: 0 });
  });

  it('work for an empty installation', async () => {
    const app = await createTestApp();
    const stats = await getInstallationStats(operatorContext(app));
    expect(new Set(Object.values(stats))).toEqual(new Set([0]));
  });
});

describe('setOrganizationFeatures', () => {
  it('sets exactly these features for the next request, and records before and after once', async () => {
    const { person, operator, organization_id } = await prepare();
    const set = (features: string[]) => setOrganizationFeatures(operator, { organization_id, features });
    expect(await set([])).toMatchObject({ features: [] });
    expect(await set(['object_storage', 'object_storage'])).toMatchObject({ features: ['object_storage'] });
    await set(['object_storage']);
    const context = await resolveOrganization(person.context, organization_id);
    expect(context.organization.features).toEqual(['object_storage']);
    const events = (await auditRows(person.context, organization_id)).filter(
      ({ action }) => action === 'organization.features',
    );
    expect(events).toMatchObject([
      { before: { features: ['object_storage'] }, after: { features: [] }, actor_kind: 'operator' },
      { before: { features: [] }, after: { features: ['object_storage'] } },
    ]);
  });

  it('refuses an unknown feature, and changes nothing', async () => {
    const { operator, organization_id } = await prepare();
    const features = ['object_storage', 'teleport'];
    await expect(setOrganizationFeatures(operator, { organization_id, features })).rejects.toMatchObject({
      code: 'feature_unknown',
      params: { feature: 'teleport' },
    });
    const detail = await getOrganizationForOperator(operator, { organization_id });
    expect(detail.features).toEqual(['object_storage']);
  });
});

describe('setOrganizationMember', () => {
  it('gives an organization that lost its owner a new one, by login or email address', async () => {
    const { app, person, operator } = await prepare();
    const organization_id = await insertNamedOrganization(app);
    const set = (member: string, permission: 'owner' | 'read') =>
      setOrganizationMember(operator, { organization_id, member, permission });
    const result = { user_id: person.user.id, login: 'Ada', email: 'ada@rivers.example' };
    expect(await set('ada', 'read')).toEqual({ ...result, permission: 'read' });
    expect(await set('ADA@rivers.example', 'owner')).toEqual({ ...result, permission: 'owner' });
    await set('Ada', 'owner');
    const context = await resolveOrganization(person.context, organization_id);
    expect(context.organization.permission).toBe('owner');
    expect(await auditRows(context, person.user.id)).toMatchObject([
      { action: 'member.set', before: { permission: null }, after: { login: 'Ada', permission: 'read' } },
      { action: 'member.set', before: { permission: 'read' }, after: { permission: 'owner' } },
    ]);
  });

  it('leaves no organization without an owner', async () => {
    const { app, operator } = await prepare();
    const organization_id = await insertNamedOrganization(app);
    const set = (permission: 'owner' | 'admin') =>
      setOrganizationMember(operator, { organization_id, member: 'Ada', permission });
    await set('owner');
    await expect(set('admin')).rejects.toMatchObject({ code: 'last_owner' });
  });

  it('refuses personal workspaces, organizations managed elsewhere, unknown people and ambiguous names', async () => {
    const { app, operator, organization_id } = await prepare();
    const refused = (id: string, member: string, code: string) =>
      expect(
        setOrganizationMember(operator, { organization_id: id, member, permission: 'read' }),
      ).rejects.toMatchObject({ code });
    const elsewhere = await insertNamedOrganization(app, { issuer: ISSUER });
    const here = await insertNamedOrganization(app);
    await refused(organization_id, 'Ada', 'organization_is_personal');
    await refused(elsewhere, 'Ada', 'organization_managed_elsewhere');
    await refused(here, 'nobody', 'member_not_found');
    await refused('unknown', 'Ada', 'organization_not_found');
    await createTestPerson(app, { login: 'ada', issuer: ISSUER });
    await refused(here, 'Ada', 'invalid_input');
  });

  it('never confuses a person with another whose address that person chose as a login', async () => {
    const { app, person, operator } = await prepare();
    const organization_id = await insertNamedOrganization(app);
    await createTestPerson(app, { login: person.user.email, issuer: ISSUER });
    const set = (member: string) =>
      setOrganizationMember(operator, { organization_id, member, permission: 'owner' });
    await expect(set(person.user.email)).rejects.toMatchObject({ code: 'invalid_input' });
    expect(await set(person.user.id)).toMatchObject({ user_id: person.user.id });
  });

  it('takes over a detached organization, under an unused handle', async () => {
    const { app, person, operator } = await prepare();
    await insertNamedOrganization(app, { handle: 'rivers' });
    const first = await insertNamedOrganization(app, { issuer: ISSUER, handle: 'Lakes', detached_at: 1 });
    const second = await insertNamedOrganization(app, { issuer: ISSUER, handle: 'Rivers', detached_at: 1 });
    for (const organization_id of [first, second]) {
      await setOrganizationMember(operator, { organization_id, member: 'Ada', permission: 'owner' });
      const detail = await getOrganizationForOperator(operator, { organization_id });
      expect(detail).toMatchObject({ is_managed_here: true, detached_at: null, members: 1 });
      expect(detail.handle).toBe(organization_id === first ? 'lakes' : `org-${second}`);
      const context = await resolveOrganization(person.context, organization_id);
      expect(context.organization.permission).toBe('owner');
    }
  });

  it('ends with one membership when two ask at the same time', async () => {
    const { app, operator } = await prepare();
    const organization_id = await insertNamedOrganization(app);
    const set = (permission: 'owner' | 'write') =>
      setOrganizationMember(operator, { organization_id, member: 'Ada', permission });
    await Promise.allSettled([set('write'), set('owner'), set('owner')]);
    expect(await getOrganizationForOperator(operator, { organization_id })).toMatchObject({
      members: 1,
      owners: [{ login: 'Ada' }],
    });
  });
});
