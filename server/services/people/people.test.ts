import { describe, expect, it } from 'vitest';
import { createSessions } from '#server/auth/sessions.ts';
import type { App } from '#server/context.ts';
import { deployTestFiles } from '#tests/support/app/deploy.ts';
import { createNamedOrganization } from '#tests/support/app/named-organization.ts';
import { operatorContext } from '#tests/support/app/operator-context.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson, joinOrganization } from '#tests/support/app/test-person.ts';
import { atOnce } from '#tests/support/at-once.ts';
import { authenticateAccount } from '../identity/accounts/authenticate-account.ts';
import { createAccount } from '../identity/accounts/create-account.ts';
import { registerAccount } from '../identity/accounts/register-account.ts';
import { EMBEDDED_ISSUER } from '../identity/rules.ts';
import { signInUser } from '../identity/sign-in/sign-in-user.ts';
import { inviteMember } from '../organizations/invitations/invite-member.ts';
import { createSite } from '../sites/create-site.ts';
import { blockPerson, unblockPerson } from './block-person.ts';
import { deletePerson } from './delete-person.ts';
import { getPerson } from './get-person.ts';
import { listPeople } from './list-people.ts';
import { signOutPerson } from './sign-out-person.ts';

const PASSWORD = 'correct horse battery';
const anonymous = (app: App) => ({
  app,
  actor: { kind: 'anonymous' } as const,
  requestId: 'r',
  address: '192.0.2.7',
});

/** A person with an account here who has signed in with it. */
async function withAda(environment: Record<string, string> = {}) {
  const app = await createTestApp({ environment });
  const email = 'Ada@example.ca';
  const { subject } = await registerAccount(anonymous(app), {
    ...{ full_name: 'Ada Lovelace', login: 'ada', email, password: PASSWORD },
  });
  const ada = await createTestPerson(app, { subject, login: 'ada', email, full_name: 'Ada Lovelace' });
  const enter = () => authenticateAccount(anonymous(app), { email, password: PASSWORD });
  return { app, ada, enter, operator: operatorContext(app) };
}

describe('people, as operators see them', () => {
  it('are found by the id of their account also after they signed in, whoever has it as a login', async () => {
    const { app, ada, operator } = await withAda();
    const number = (await app.db.selectFrom('identity_accounts').select('number').executeTakeFirstOrThrow())
      .number;
    await registerAccount(anonymous(app), {
      ...{ full_name: 'Mallory', login: `account-${number}`, email: 'm@example.ca', password: PASSWORD },
    });
    expect(await getPerson(operator, { person: `account-${number}` })).toMatchObject({ id: ada.user.id });
  });

  it('include those who have signed in and accounts that have not yet, newest first, page by page', async () => {
    const { app, ada, operator } = await withAda();
    app.clock.advance(1);
    await registerAccount(anonymous(app), {
      ...{ full_name: 'Grace Hopper', login: 'grace', email: 'grace@rivers.example', password: PASSWORD },
    });
    const first = await listPeople(operator, { limit: 1 });
    expect(first.items).toMatchObject([{ id: expect.stringMatching(/^account-\d+$/), login: 'grace' }]);
    const second = await listPeople(operator, { limit: 1, cursor: first.next_cursor ?? '' });
    expect(second).toMatchObject({ items: [{ id: ada.user.id, is_kept_here: true }], next_cursor: null });
    const found = async (search: string) =>
      (await listPeople(operator, { search })).items.map((p) => p.login);
    expect(await found('RIVERS')).toEqual(['grace']);
    expect(await found('lovelace')).toEqual(['ada']);
    expect(await found('a%e')).toEqual([]);
    await expect(listPeople(operator, { cursor: 'nonsense' })).rejects.toMatchObject({
      code: 'invalid_input',
    });
  });

  it('are found by a name in any case and without its accents', async () => {
    const { app, operator } = await withAda();
    const { user } = await createTestPerson(app, { login: 'er', full_name: 'Élodie Nguyễn-Łoś' });
    for (const search of ['elodie', 'ÉLODIE', 'nguyen', 'Élodie Nguye']) {
      const { items } = await listPeople(operator, { search });
      expect(
        items.map(({ id }) => id),
        search,
      ).toEqual([user.id]);
    }
    expect((await listPeople(operator, { search: 'elodia' })).items).toEqual([]);
  });

  it('are found by id, login or address in any case, and never by an ambiguous name', async () => {
    const { app, ada, operator } = await withAda();
    for (const person of [ada.user.id, 'ADA', 'ada@EXAMPLE.ca']) {
      expect((await getPerson(operator, { person })).id).toBe(ada.user.id);
    }
    await expect(getPerson(operator, { person: 'lin' })).rejects.toMatchObject({ code: 'person_not_found' });
    await createTestPerson(app, { login: 'Ada', issuer: 'https://id.example.ca' });
    await expect(getPerson(operator, { person: 'ada' })).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('are not accessible to anyone else', async () => {
    const { app, ada } = await withAda();
    const person = { person: 'ada' };
    const refused = { code: 'operator_required' };
    const account = { email: 'new@example.ca', full_name: 'New' };
    for (const context of [ada.context, operatorContext(app, 'read')]) {
      await expect(blockPerson(context, { ...person, reason: 'x' })).rejects.toMatchObject(refused);
      await expect(unblockPerson(context, person)).rejects.toMatchObject(refused);
      await expect(signOutPerson(context, person)).rejects.toMatchObject(refused);
      await expect(deletePerson(context, person)).rejects.toMatchObject(refused);
      await expect(createAccount(context, account)).rejects.toMatchObject(refused);
    }
    await expect(listPeople(ada.context)).rejects.toMatchObject(refused);
    expect((await listPeople(operatorContext(app, 'read'))).items).toHaveLength(1);
  });
});

describe('blocking', () => {
  it('ends every session, keeps the person out by password and by sign-in, and can be undone', async () => {
    const { app, ada, enter, operator } = await withAda();
    const sessions = createSessions(app);
    expect(await sessions.validate(ada.sessionCookie)).not.toBeNull();
    const blocked = await blockPerson(operator, { person: 'ada', reason: 'left' });
    expect(blocked).toMatchObject({ blocked_reason: 'left', sessions: 0 });
    expect(await sessions.validate(ada.sessionCookie)).toBeNull();
    await expect(enter()).rejects.toMatchObject({ code: 'account_blocked' });
    const { subject, login, full_name, email } = ada.user;
    const identity = { ...{ issuer: EMBEDDED_ISSUER, subject, login, full_name, email }, avatar_url: null };
    const signIn = () => signInUser(anonymous(app), identity, async () => 'in');
    await expect(signIn()).rejects.toMatchObject({ code: 'account_blocked' });
    expect((await listPeople(operator, { state: 'blocked' })).items).toHaveLength(1);
    expect((await listPeople(operator, { state: 'active' })).items).toEqual([]);
    await unblockPerson(operator, { person: 'ada' });
    expect(await enter()).toEqual({ subject });
    expect(await signIn()).toBe('in');
    const recorded = await app.db
      .selectFrom('audit_events')
      .select(['action', 'actor_name'])
      .where('resource_type', '=', 'person')
      .orderBy('at')
      .execute();
    expect(recorded).toEqual(
      expect.arrayContaining([
        { action: 'person.block', actor_name: 'command line' },
        { action: 'person.unblock', actor_name: 'command line' },
      ]),
    );
  });

  it('does not reveal without the password that the account is blocked', async () => {
    const { app, operator } = await withAda();
    await blockPerson(operator, { person: 'ada', reason: 'left' });
    const guess = authenticateAccount(anonymous(app), { email: 'ada@example.ca', password: 'a guess' });
    await expect(guess).rejects.toMatchObject({ code: 'sign_in_failed' });
  });

  it('wins over a concurrent sign-in', async () => {
    const { app, ada, operator } = await withAda();
    const { subject, login, full_name, email } = ada.user;
    const identity = { ...{ issuer: EMBEDDED_ISSUER, subject, login, full_name, email }, avatar_url: null };
    const sessions = createSessions(app);
    const open = {
      userId: ada.user.id,
      organizationId: null,
      address: '',
      userAgent: '',
      identitySession: null,
    };
    await atOnce<unknown>(app, [
      () => signInUser(anonymous(app), identity, (trx) => sessions.create(trx, open)),
      () => blockPerson(operator, { person: 'ada', reason: 'left' }),
      () => signInUser(anonymous(app), identity, (trx) => sessions.create(trx, open)),
    ]);
    expect(await app.db.selectFrom('sessions').selectAll().execute()).toEqual([]);
  });

  it('also works for an account whose owner has not been in the console', async () => {
    const { app, operator } = await withAda();
    const account = { full_name: 'Grace', login: 'grace', email: 'grace@example.ca', password: PASSWORD };
    await registerAccount(anonymous(app), account);
    const blocked = await blockPerson(operator, { person: 'grace', reason: 'left' });
    expect(blocked).toEqual(await getPerson(operator, { person: 'grace' }));
    await expect(authenticateAccount(anonymous(app), account)).rejects.toMatchObject({
      code: 'account_blocked',
    });
  });
});

describe('signing out', () => {
  it('ends every session and lets the person sign in again', async () => {
    const { app, ada, enter, operator } = await withAda();
    expect(await signOutPerson(operator, { person: 'ada' })).toMatchObject({ sessions: 0 });
    expect(await createSessions(app).validate(ada.sessionCookie)).toBeNull();
    expect(await enter()).toEqual({ subject: ada.user.subject });
  });
});

describe('deleting a person', () => {
  it('removes account, sessions and empty workspace, and the number is not reused', async () => {
    const { app, ada, enter, operator } = await withAda();
    const done = await deletePerson(operator, { person: 'ada' });
    expect(done).toMatchObject({ id: ada.user.id, deleted_organizations: ['Ada Lovelace'] });
    await expect(enter()).rejects.toMatchObject({ code: 'sign_in_failed' });
    expect(await createSessions(app).validate(ada.sessionCookie)).toBeNull();
    for (const table of ['users', 'identity_accounts', 'memberships', 'sessions'] as const) {
      expect(await app.db.selectFrom(table).selectAll().execute(), table).toEqual([]);
    }
    const again = { full_name: 'Ada', login: 'ada', email: 'ada@example.ca', password: PASSWORD };
    expect((await registerAccount(anonymous(app), again)).subject).not.toBe(ada.user.subject);
  });

  it('requires a decision about what only they own, and changes nothing meanwhile', async () => {
    const { app, ada, enter, operator } = await withAda();
    await createSite(ada.context, { name: 'blog' });
    const rivers = await createNamedOrganization(ada, { handle: 'rivers' });
    await createSite(rivers, { name: 'water' });
    const attempt = deletePerson(operator, { person: 'ada' });
    await expect(attempt).rejects.toMatchObject({
      code: 'person_owns',
      params: { names: 'Ada Lovelace, Rivers' },
    });
    const grace = await createTestPerson(app, { login: 'grace', full_name: 'Grace' });
    const given = deletePerson(operator, { person: 'ada', give_to: 'grace' });
    await expect(given).rejects.toMatchObject({ code: 'person_owns', params: { names: 'Ada Lovelace' } });
    expect(await enter()).toEqual({ subject: ada.user.subject });
    await expect(deletePerson(operator, { person: 'ada', give_to: 'ada' })).rejects.toMatchObject({
      code: 'invalid_input',
    });
    expect((await getPerson(operator, { person: grace.user.id })).organizations).toHaveLength(1);
  });

  it('requires a decision about an empty organization too, because others may belong to it', async () => {
    const { app, ada, operator } = await withAda();
    const rivers = await createNamedOrganization(ada, { handle: 'rivers' });
    const grace = await createTestPerson(app, { login: 'grace' });
    await joinOrganization(grace, rivers.organization.id, 'write');
    await inviteMember(rivers, { permission: 'read' });
    const attempt = deletePerson(operator, { person: 'ada' });
    await expect(attempt).rejects.toMatchObject({ code: 'person_owns', params: { names: 'Rivers' } });
    await deletePerson(operator, { person: 'ada', delete_content: true });
    const open = await app.db
      .selectFrom('organization_invitations')
      .select('id')
      .where('revoked_at', 'is', null)
      .execute();
    expect(open).toEqual([]);
  });

  it('transfers organizations and deletes the content of the workspace', async () => {
    const { app, ada, operator } = await withAda();
    const blog = await createSite(ada.context, { name: 'blog' });
    await deployTestFiles(ada.context, blog.id, { 'index.html': 'hello' });
    const rivers = await createNamedOrganization(ada, { handle: 'rivers' });
    const water = await createSite(rivers, { name: 'water' });
    const grace = await createTestPerson(app, { login: 'grace', full_name: 'Grace' });
    await joinOrganization(grace, rivers.organization.id, 'read');
    const done = await deletePerson(operator, { person: 'ada', give_to: 'grace', delete_content: true });
    expect(done).toMatchObject({
      given_organizations: ['Rivers'],
      deleted_organizations: ['Ada Lovelace'],
    });
    const { organizations } = await getPerson(operator, { person: 'grace' });
    expect(organizations.find(({ is_personal }) => !is_personal)).toMatchObject({
      id: rivers.organization.id,
      permission: 'owner',
      is_only_owner: true,
    });
    const sites = await app.db
      .selectFrom('sites')
      .select(['id', 'deleted_at'])
      .orderBy('created_at')
      .execute();
    expect(sites.find(({ id }) => id === blog.id)?.deleted_at).not.toBeNull();
    expect(sites.find(({ id }) => id === water.id)?.deleted_at).toBeNull();
  });

  it('deletes an organization without a new owner, with everything in it', async () => {
    const { app, ada, operator } = await withAda();
    const rivers = await createNamedOrganization(ada, { handle: 'rivers' });
    await createSite(rivers, { name: 'water' });
    await deletePerson(operator, { person: 'ada', delete_content: true });
    const row = await app.db
      .selectFrom('organizations')
      .select(['handle', 'detached_at'])
      .where('id', '=', rivers.organization.id)
      .executeTakeFirstOrThrow();
    expect(row).toEqual({ handle: null, detached_at: app.clock.now() });
  });
});
