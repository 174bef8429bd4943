import { describe, expect, it } from 'vitest';
import { createNamedOrganization } from '#tests/support/app/named-organization.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { getPublicProfile } from './get-public-profile.ts';

describe('getPublicProfile', () => {
  it('shows everyone the profile, and only members which organization it is', async () => {
    const app = await createTestApp();
    const owner = await createTestPerson(app);
    const context = await createNamedOrganization(owner, { handle: 'rivers', location: 'Laval' });
    const profile = {
      handle: 'rivers',
      name: 'Rivers',
      description: null,
      website: null,
      location: 'Laval',
      avatar_url: null,
    };
    const anonymous = { ...owner.context, actor: { kind: 'anonymous' as const } };
    const stranger = await createTestPerson(app);
    for (const each of [anonymous, stranger.context]) {
      expect(await getPublicProfile(each, { handle: 'Rivers' })).toEqual({ ...profile, membership: null });
    }
    expect(await getPublicProfile(owner.context, { handle: 'rivers' })).toEqual({
      ...profile,
      membership: { organization_id: context.organization.id, permission: 'owner' },
    });
  });

  it('shows no personal workspace and no organization that is managed elsewhere', async () => {
    const app = await createTestApp();
    const owner = await createTestPerson(app);
    const context = await createNamedOrganization(owner, { handle: 'rivers' });
    await app.db
      .updateTable('organizations')
      .set({ issuer: 'https://code.example.ca' })
      .where('id', '=', context.organization.id)
      .execute();
    for (const handle of ['rivers', owner.user.login, owner.organization.external_id]) {
      await expect(getPublicProfile(owner.context, { handle })).rejects.toMatchObject({
        code: 'organization_not_found',
      });
    }
  });

  it('finds nothing for anything that cannot be a handle', async () => {
    const { context } = await createTestPerson(await createTestApp());
    for (const handle of ['a\0b', '%', '../rivers', '\ud800', ' ']) {
      await expect(getPublicProfile(context, { handle })).rejects.toMatchObject({
        code: 'organization_not_found',
      });
    }
  });
});
