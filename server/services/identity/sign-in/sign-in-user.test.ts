import { describe, expect, it } from 'vitest';
import type { App, RequestContext } from '#server/context.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { type SignedInIdentity, signInUser } from './sign-in-user.ts';

const IDENTITY: SignedInIdentity = {
  issuer: 'https://code.example.ca',
  subject: '42',
  login: 'ada',
  full_name: 'Ada Lovelace',
  email: 'ada@example.ca',
  avatar_url: null,
};

function anonymous(app: App): RequestContext {
  return { app, actor: { kind: 'anonymous' }, requestId: 'request', address: '192.0.2.7' };
}

async function workspaces(app: App) {
  return app.db
    .selectFrom('organizations')
    .innerJoin('memberships', 'memberships.organization_id', 'organizations.id')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['external_id', 'name', 'features', 'permission', 'users.subject', 'users.issuer'])
    .orderBy('external_id')
    .execute();
}

describe('a first sign-in', () => {
  it('creates the person and a personal workspace that the person owns, with the default features', async () => {
    const app = await createTestApp();
    const signedIn = await signInUser(anonymous(app), IDENTITY, async (_, result) => result);
    expect(signedIn.user).toMatchObject({ login: 'ada', email: 'ada@example.ca', language_preference: null });
    const [workspace, ...others] = await workspaces(app);
    expect(others).toEqual([]);
    expect(workspace).toMatchObject({
      external_id: 'personal-42',
      name: 'Ada Lovelace',
      permission: 'owner',
    });
    expect(JSON.parse(workspace?.features ?? '')).toEqual(['object_storage']);
  });

  it('records the person, the workspace and the sign-in, under the person’s name', async () => {
    const app = await createTestApp();
    await signInUser(anonymous(app), IDENTITY, async () => undefined);
    const rows = await app.db
      .selectFrom('audit_events')
      .select(['action', 'actor_name', 'address'])
      .execute();
    expect(rows.map((row) => row.action).sort()).toEqual([
      'organization.create',
      'user.create',
      'user.sign_in',
    ]);
    expect(new Set(rows.map((row) => `${row.actor_name} ${row.address}`))).toEqual(
      new Set(['ada 192.0.2.7']),
    );
  });

  it('leaves nothing behind when the session cannot be opened', async () => {
    const app = await createTestApp();
    const refused = signInUser(anonymous(app), IDENTITY, async () => {
      throw new Error('no session');
    });
    await expect(refused).rejects.toThrow('no session');
    expect(await app.db.selectFrom('users').selectAll().execute()).toEqual([]);
    expect(await app.db.selectFrom('audit_events').selectAll().execute()).toEqual([]);
  });

  it('made twice at the same time creates one person and one workspace', async () => {
    const app = await createTestApp();
    const ids = await Promise.all(
      [1, 2, 3, 4].map(() =>
        signInUser(anonymous(app), IDENTITY, async (_, { organizationId }) => organizationId),
      ),
    );
    expect(new Set(ids).size).toBe(1);
    expect(await workspaces(app)).toHaveLength(1);
  });

  it('never shares a workspace between equal numbers of two issuers', async () => {
    const app = await createTestApp();
    await signInUser(anonymous(app), IDENTITY, async () => undefined);
    await signInUser(
      anonymous(app),
      { ...IDENTITY, issuer: 'https://other.example.ca' },
      async () => undefined,
    );
    const rows = await workspaces(app);
    expect(rows).toHaveLength(2);
    expect(new Set(rows.map((row) => row.external_id)).size).toBe(2);
    for (const row of rows) expect(row.external_id).toMatch(/^personal-\d+$/);
  });

  it('with a non-numeric subject still gets a numeric external id', async () => {
    const app = await createTestApp();
    await signInUser(anonymous(app), { ...IDENTITY, subject: 'auth0|f00' }, async () => undefined);
    expect((await workspaces(app))[0]?.external_id).toMatch(/^personal-\d{15,19}$/);
  });
});

describe('a later sign-in', () => {
  it('updates the profile and keeps the person, the workspace and the language', async () => {
    const app = await createTestApp();
    const first = await signInUser(anonymous(app), IDENTITY, async (_, result) => result);
    await app.db.updateTable('users').set({ language_preference: 'fr-CA' }).execute();
    const changed = { ...IDENTITY, login: 'countess', email: 'countess@example.ca' };
    const second = await signInUser(anonymous(app), changed, async (_, result) => result);
    expect(second.organizationId).toBe(first.organizationId);
    expect(second.user).toMatchObject({ id: first.user.id, login: 'countess', language_preference: 'fr-CA' });
    expect(await workspaces(app)).toHaveLength(1);
  });
});

describe('a test person', () => {
  it('is signed in and owns a workspace', async () => {
    const app = await createTestApp();
    const person = await createTestPerson(app);
    expect(person.context.organization).toMatchObject({ id: person.organization.id, permission: 'owner' });
    expect(person.sessionCookie).toMatch(/^session=[a-z0-9]{40}$/);
  });
});
