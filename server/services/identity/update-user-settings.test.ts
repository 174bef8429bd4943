import { describe, expect, it } from 'vitest';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { getUser } from './get-user.ts';
import { updateUserSettings } from './update-user-settings.ts';

describe('the settings of a person', () => {
  it('store the language and record the previous one, once', async () => {
    const app = await createTestApp();
    const person = await createTestPerson(app);
    const saved = await updateUserSettings(person.context, { language_preference: 'fr-CA' });
    expect(saved.language_preference).toBe('fr-CA');
    expect((await getUser(person.context)).language_preference).toBe('fr-CA');
    expect(await updateUserSettings(person.context, { language_preference: 'fr-CA' })).toEqual(saved);
    const audit = await app.db
      .selectFrom('audit_events')
      .select(['before', 'after', 'actor_id'])
      .where('action', '=', 'user.settings')
      .execute();
    expect(audit).toEqual([
      {
        before: JSON.stringify({ language_preference: null }),
        after: JSON.stringify({ language_preference: 'fr-CA' }),
        actor_id: person.user.id,
      },
    ]);
  });

  it('refuse a language that is not one of the two', async () => {
    const person = await createTestPerson(await createTestApp());
    const hostile = JSON.parse('{"language_preference":"<script>"}');
    await expect(updateUserSettings(person.context, hostile)).rejects.toThrow();
    expect((await getUser(person.context)).language_preference).toBeNull();
  });

  it('belong to a person: a credential has none', async () => {
    const app = await createTestApp();
    const actor = {
      kind: 'credential' as const,
      credentialId: 'c',
      name: 'ci',
      organizationId: 'o',
      scopes: [],
    };
    const context = { app, actor, requestId: 'r', address: '' };
    await expect(updateUserSettings(context, { language_preference: 'fr-CA' })).rejects.toMatchObject({
      code: 'person_required',
    });
  });
});
