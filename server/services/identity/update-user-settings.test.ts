import { describe, expect, it } from 'vitest';
import { createTestPerson } from '#tests/support/sign-in.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import { getUser } from './get-user.ts';
import { updateUserSettings } from './update-user-settings.ts';

describe('the settings of a person', () => {
  it('keep the language, return the person as saved, and are recorded with what was before', async () => {
    const app = await createTestApp();
    const { context, user } = await createTestPerson(app);
    expect((await getUser(context)).language_preference).toBeNull();
    const saved = await updateUserSettings(context, { language_preference: 'fr-CA' });
    expect(saved).toEqual({ ...(await getUser(context)), language_preference: 'fr-CA' });
    const [row] = await app.db
      .selectFrom('audit_events')
      .selectAll()
      .where('action', '=', 'user.settings')
      .execute();
    expect(row).toMatchObject({ actor_id: user.id, resource_id: user.id });
    expect(JSON.parse(row?.before ?? '')).toEqual({ language_preference: null });
    expect(JSON.parse(row?.after ?? '')).toEqual({ language_preference: 'fr-CA' });
  });

  it('belong to one person', async () => {
    const app = await createTestApp();
    const [ada, bob] = [await createTestPerson(app), await createTestPerson(app)];
    await updateUserSettings(ada.context, { language_preference: 'fr-CA' });
    expect((await getUser(bob.context)).language_preference).toBeNull();
  });

  it('refuse a language that we do not speak', async () => {
    const app = await createTestApp();
    const { context } = await createTestPerson(app);
    const unknown = JSON.parse('{"language_preference":"de-DE"}');
    await expect(updateUserSettings(context, unknown)).rejects.toMatchObject({
      issues: [{ path: ['language_preference'] }],
    });
  });

  it('are for signed-in people only', async () => {
    const app = await createTestApp();
    const { context } = await createTestPerson(app);
    const nobody = { ...context, actor: { kind: 'anonymous' } as const };
    const refused = updateUserSettings(nobody, { language_preference: 'fr-CA' });
    await expect(refused).rejects.toMatchObject({ code: 'unauthenticated' });
    const credential = {
      ...context,
      actor: {
        kind: 'credential',
        credentialId: 'c',
        name: 'CI',
        organizationId: context.organization.id,
        scopes: [],
      } as const,
    };
    const refusedToo = updateUserSettings(credential, { language_preference: 'fr-CA' });
    await expect(refusedToo).rejects.toMatchObject({ code: 'person_required' });
  });
});
