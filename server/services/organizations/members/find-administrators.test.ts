import { describe, expect, it } from 'vitest';
import { createMember, createNamedOrganization } from '#tests/support/app/named-organization.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { registerAccount } from '../../identity/accounts/register-account.ts';
import { findAdministrators } from './find-administrators.ts';

describe('findAdministrators', () => {
  it('finds owners and administrators with their languages, and each address once', async () => {
    const app = await createTestApp();
    const account = await registerAccount(
      { app, actor: { kind: 'anonymous' }, requestId: '', address: '192.0.2.1' },
      {
        full_name: 'Zoé Roy',
        login: 'zoe',
        email: 'zoe@example.ca',
        password: 'correct horse battery',
        language: 'fr-CA',
      },
    );
    const context = await createNamedOrganization(
      await createTestPerson(app, { subject: account.subject, email: 'zoe@example.ca' }),
    );
    const admin = await createMember(context, 'admin', { email: 'Admin@example.ca', subject: '900' });
    await createMember(context, 'admin', { email: 'admin@EXAMPLE.ca', subject: '901' });
    await createMember(context, 'admin', { email: '', subject: '902' });
    await createMember(context, 'admin', { email: 'two@example.ca, three@example.ca', subject: '903' });
    await createMember(context, 'write', { email: 'writer@example.ca', subject: '904' });
    await app.db
      .updateTable('users')
      .set({ language_preference: 'en-CA' })
      .where('id', '=', admin.person.user.id)
      .execute();
    const found = await findAdministrators(app.db, context.organization.id);
    expect(found).toHaveLength(2);
    expect(found).toContainEqual({ email: 'zoe@example.ca', language: 'fr-CA' });
    expect(found.map(({ email }) => email.toLowerCase())).toContain('admin@example.ca');
    expect(await findAdministrators(app.db, 'nobody')).toEqual([]);
  });

  it('knows no language of a person of another issuer who chose none', async () => {
    const app = await createTestApp();
    const stranger = { issuer: 'https://id.example', subject: '1', email: 'a@example.ca' };
    const person = await createTestPerson(app, stranger);
    expect(await findAdministrators(app.db, person.organization.id)).toEqual([
      { email: 'a@example.ca', language: null },
    ]);
  });
});
