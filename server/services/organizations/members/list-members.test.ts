import { describe, expect, it } from 'vitest';
import { newId } from '#server/ids.ts';
import { credentialContext } from '#tests/support/app/credential-context.ts';
import { createMember, createNamedOrganization } from '#tests/support/app/named-organization.ts';
import { operatorContext } from '#tests/support/app/operator-context.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { resolveOrganization } from '../resolve-organization.ts';
import { listMembers } from './list-members.ts';

async function withMembers() {
  const app = await createTestApp();
  const owner = await createTestPerson(app, { full_name: 'Zoé Zimmer', login: 'zoe' });
  const context = await createNamedOrganization(owner);
  const emile = await createMember(context, 'read', { full_name: 'Émile Roy', login: 'er' });
  const fred = await createMember(context, 'write', { full_name: 'fred Côté', login: 'fred' });
  const adele = await createMember(context, 'admin', { full_name: 'Adèle Roy', login: 'adele-roy' });
  return { app, owner, context, emile, fred, adele };
}

describe('listMembers', () => {
  it('shows owners first, then by name ignoring accents and case, and marks the caller', async () => {
    const { context, emile } = await withMembers();
    const { items, next_cursor } = await listMembers(emile.context, {});
    expect(items.map((member) => [member.full_name, member.permission, member.is_you])).toEqual([
      ['Zoé Zimmer', 'owner', false],
      ['Adèle Roy', 'admin', false],
      ['Émile Roy', 'read', true],
      ['fred Côté', 'write', false],
    ]);
    expect(next_cursor).toBeNull();
    expect((await listMembers(context, {})).items[0]?.is_you).toBe(true);
  });

  it('shows email addresses to those who may invite and to no one else', async () => {
    const { owner, adele, fred, emile } = await withMembers();
    const emailsFor = async (context: typeof adele.context) =>
      new Set((await listMembers(context, {})).items.map(({ email }) => email));
    expect(await emailsFor(adele.context)).toContain(owner.user.email);
    expect(await emailsFor(fred.context)).toEqual(new Set([null]));
    expect(await emailsFor(emile.context)).toEqual(new Set([null]));
  });

  it('finds by name or user name, also without accents', async () => {
    const { context } = await withMembers();
    const find = async (search: string) =>
      (await listMembers(context, { search })).items.map(({ login }) => login);
    expect(await find('emile')).toEqual(['er']);
    expect(await find('ÉMILE')).toEqual(['er']);
    expect(await find('roy')).toEqual(['adele-roy', 'er']);
    expect(await find('ER')).toEqual(['zoe', 'er']);
    expect(await find('%')).toEqual([]);
  });

  it('finds by email address for those who see it, and for no one else', async () => {
    const { context, fred, emile } = await withMembers();
    const { email } = emile.person.user;
    const find = async (by: typeof context, search: string) =>
      (await listMembers(by, { search })).items.map(({ login }) => login);
    expect(await find(context, email.toUpperCase())).toEqual(['er']);
    expect(await find(context, email.slice(0, email.indexOf('@')))).toEqual(['er']);
    expect(await find(context, email.slice(email.indexOf('@')))).toHaveLength(4);
    expect(await find(context, email.slice(email.indexOf('@') + 1))).toEqual([]);
    expect(await find(fred.context, email)).toEqual([]);
  });

  it('pages through thousands, each member once', async () => {
    const { app, context } = await withMembers();
    const now = app.clock.now();
    const users = Array.from({ length: 2000 }, (_, index) => ({
      id: newId(),
      issuer: 'embedded',
      subject: `many-${index}`,
      login: `many-${index}`,
      full_name: `Many ${index % 100}`,
      email: `many-${index}@example.ca`,
      avatar_url: null,
      language_preference: null,
      created_at: now,
      updated_at: now,
    }));
    for (let start = 0; start < users.length; start += 200) {
      const some = users.slice(start, start + 200);
      await app.db.insertInto('users').values(some).execute();
      await app.db
        .insertInto('memberships')
        .values(
          some.map(({ id }) => ({
            organization_id: context.organization.id,
            user_id: id,
            permission: 'read' as const,
            created_at: now,
          })),
        )
        .execute();
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listMembers(context, { limit: 200, cursor });
      expect(page.items.length).toBeLessThanOrEqual(200);
      seen.push(...page.items.map(({ user_id }) => user_id));
      cursor = page.next_cursor ?? undefined;
    } while (cursor);
    expect(seen).toHaveLength(2004);
    expect(new Set(seen).size).toBe(2004);
  });

  it('is for members and operators, not for credentials, and refuses an invalid cursor', async () => {
    const { app, context } = await withMembers();
    await expect(listMembers(credentialContext(context, []), {})).rejects.toMatchObject({
      code: 'person_required',
    });
    const operator = await resolveOrganization(operatorContext(app, 'read'), context.organization.id);
    expect((await listMembers(operator, {})).items).toHaveLength(4);
    const stranger = await createTestPerson(app);
    await expect(listMembers(context, { cursor: stranger.user.id })).rejects.toMatchObject({
      code: 'invalid_input',
    });
  });

  it('shows the one person of a personal workspace', async () => {
    const person = await createTestPerson(await createTestApp());
    expect((await listMembers(person.context, {})).items).toMatchObject([
      { user_id: person.user.id, permission: 'owner' },
    ]);
  });
});
