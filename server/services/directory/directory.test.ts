import { describe, expect, it } from 'vitest';
import { createEmbeddedPerson, type EmbeddedPerson } from '#tests/support/app/embedded-person.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson, joinOrganization } from '#tests/support/app/test-person.ts';
import { createOrganization } from '../organizations/create-organization.ts';
import { deleteOrganization } from '../organizations/delete-organization.ts';
import { resolveOrganization } from '../organizations/resolve-organization.ts';
import { getDirectoryOrganization } from './get-directory-organization.ts';
import { getDirectoryPermission } from './get-directory-permission.ts';
import { getDirectoryPerson } from './get-directory-person.ts';
import { listDirectoryGroups } from './list-directory-groups.ts';
import { listDirectoryOrganizations } from './list-directory-organizations.ts';

/** Ada owns rivers and lakes, Bob can read in rivers, Carl shares nothing with them. */
async function createWorld() {
  const app = await createTestApp();
  const ada = await createEmbeddedPerson(app, 'ada');
  const bob = await createEmbeddedPerson(app, 'bob');
  const carl = await createEmbeddedPerson(app, 'carl');
  const create = async (owner: EmbeddedPerson, handle: string) =>
    (await createOrganization(owner.context, { name: `The ${handle}`, handle, description: 'Water' }))
      .organization;
  const rivers = await create(ada, 'rivers');
  const lakes = await create(ada, 'lakes');
  const deserts = await create(carl, 'deserts');
  await joinOrganization(bob, rivers.id, 'read');
  return { app, ada, bob, carl, rivers, lakes, deserts };
}

const everything = { page: 1, limit: 50 };

describe('a person in the directory', () => {
  it('is who the subject names, and no one else', async () => {
    const { app, ada } = await createWorld();
    expect(await getDirectoryPerson(app, ada.user.subject)).toMatchObject({
      subject: ada.user.subject,
      number: Number(ada.user.subject),
      login: 'ada',
      email: 'ada@example.ca',
    });
    expect(await getDirectoryPerson(app, ada.user.subject)).not.toHaveProperty('password_hash');
    for (const subject of ['999', 'ada', '', '1e3', `${ada.user.subject} `, '9'.repeat(30)]) {
      await expect(getDirectoryPerson(app, subject), subject).rejects.toMatchObject({ code: 'not_found' });
    }
  });
});

describe('the organizations of a person', () => {
  it('are one’s own, by handle and in pages, without the personal workspace', async () => {
    const { app, ada } = await createWorld();
    const { subject } = ada.user;
    const all = await listDirectoryOrganizations(app, subject, everything);
    expect(all).toMatchObject({ total: 2, items: [{ handle: 'lakes' }, { handle: 'rivers' }] });
    expect(all.items[1]).toMatchObject({ name: 'The rivers', description: 'Water', website: null });
    const second = await listDirectoryOrganizations(app, subject, { page: 2, limit: 1 });
    expect(second).toEqual({ total: 2, items: [all.items[1]] });
    for (const page of [3, 1_000_000_000]) {
      expect(await listDirectoryOrganizations(app, subject, { page, limit: 50 })).toEqual({
        total: 2,
        items: [],
      });
    }
  });

  it('have numbers that stay when handles change, and that disappear when they are deleted', async () => {
    const { app, ada, rivers, lakes } = await createWorld();
    const numberOf = (externalId: string) => Number(externalId.replace('org-', ''));
    const { items } = await listDirectoryOrganizations(app, ada.user.subject, everything);
    expect(items.map(({ number }) => number)).toEqual(
      [lakes, rivers].map((one) => numberOf(one.external_id)),
    );
    await deleteOrganization(await resolveOrganization(ada.context, lakes.id));
    const after = await listDirectoryOrganizations(app, ada.user.subject, everything);
    expect(after.items.map(({ handle }) => handle)).toEqual(['rivers']);
    await expect(getDirectoryOrganization(app, 'lakes')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('are shown to others only if they belong to them too; a person who shares none does not exist', async () => {
    const { app, ada, bob, carl } = await createWorld();
    const ask = (viewer: EmbeddedPerson, login: string) =>
      listDirectoryOrganizations(app, viewer.user.subject, { ...everything, login });
    expect(await ask(bob, 'ADA')).toMatchObject({ total: 1, items: [{ handle: 'rivers' }] });
    expect(await ask(ada, 'bob')).toMatchObject({ total: 1, items: [{ handle: 'rivers' }] });
    expect(await ask(ada, 'ada')).toMatchObject({ total: 2 });
    const refused = [ask(carl, 'ada'), ask(ada, 'carl'), ask(ada, 'nobody')];
    const reasons = await Promise.all(refused.map((attempt) => attempt.catch((error: Error) => error)));
    expect(reasons).toEqual(Array(3).fill(expect.objectContaining({ code: 'not_found' })));
  });

  it('of a person who never signed in here, or signs in elsewhere, are none', async () => {
    const { app, rivers } = await createWorld();
    const foreign = await createTestPerson(app, { issuer: 'https://code.example.ca', subject: '1' });
    await joinOrganization(foreign, rivers.id, 'owner');
    expect(await listDirectoryOrganizations(app, '999', everything)).toEqual({ total: 0, items: [] });
    const { items } = await listDirectoryOrganizations(app, '1', everything);
    expect(items.map(({ handle }) => handle)).toEqual(['lakes', 'rivers']);
  });
});

describe('a permission', () => {
  it('is shown for oneself, even when not a member, and for others among members', async () => {
    const { app, ada, bob, carl } = await createWorld();
    const ask = (viewer: EmbeddedPerson, login: string, handle: string) =>
      getDirectoryPermission(app, viewer.user.subject, { login, handle });
    expect(await ask(ada, 'ada', 'rivers')).toBe('owner');
    expect(await ask(bob, 'Bob', 'Rivers')).toBe('read');
    expect(await ask(bob, 'ada', 'rivers')).toBe('owner');
    expect(await ask(bob, 'bob', 'lakes')).toBeNull();
    const hidden: [EmbeddedPerson, string, string][] = [
      [bob, 'ada', 'lakes'],
      [carl, 'ada', 'rivers'],
      [ada, 'carl', 'rivers'],
      [ada, 'nobody', 'rivers'],
      [ada, 'ada', 'nothing'],
      [ada, 'ada', 'personal-1'],
    ];
    for (const [viewer, login, handle] of hidden) {
      await expect(ask(viewer, login, handle), `${login} ${handle}`).rejects.toMatchObject({
        code: 'not_found',
      });
    }
  });
});

describe('groups', () => {
  it('name each organization with the permission, so that no one is granted more than they have', async () => {
    const { app, ada, bob, carl } = await createWorld();
    expect(await listDirectoryGroups(app, ada.user.subject)).toEqual(['lakes:owner', 'rivers:owner']);
    expect(await listDirectoryGroups(app, bob.user.subject)).toEqual(['rivers:read']);
    expect(await listDirectoryGroups(app, carl.user.subject)).toEqual(['deserts:owner']);
    expect(await listDirectoryGroups(app, '999')).toEqual([]);
  });
});
