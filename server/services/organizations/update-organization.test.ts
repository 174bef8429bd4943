import { describe, expect, it } from 'vitest';
import { auditRows } from '#tests/support/app/audit.ts';
import { credentialContext } from '#tests/support/app/credential-context.ts';
import {
  createMember,
  createNamedOrganization,
  enterOrganization,
  suspendOrganization,
} from '#tests/support/app/named-organization.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { createOrganization } from './create-organization.ts';
import { getPublicProfile } from './get-public-profile.ts';
import { updateOrganization } from './update-organization.ts';

async function withOrganization() {
  const app = await createTestApp();
  const owner = await createTestPerson(app);
  const context = await createNamedOrganization(owner, { handle: 'rivers', description: 'Water' });
  return { app, owner, context };
}

describe('updateOrganization', () => {
  it('changes the given fields, keeps the rest, and records both sides of the change', async () => {
    const { context } = await withOrganization();
    const changed = await updateOrganization(context, { name: 'Lakes', description: '', location: 'Laval' });
    expect(changed).toMatchObject({ name: 'Lakes', description: null, location: 'Laval', handle: 'rivers' });
    expect((await auditRows(context, context.organization.id)).at(-1)).toMatchObject({
      action: 'organization.update',
      before: { name: 'Rivers', description: 'Water', location: null },
      after: { name: 'Lakes', description: null, location: 'Laval' },
    });
  });

  it('changes and records nothing when nothing differs', async () => {
    const { context } = await withOrganization();
    await updateOrganization(context, { name: 'Rivers', handle: 'rivers' });
    await updateOrganization(context, {});
    expect(await auditRows(context, context.organization.id)).toHaveLength(1);
  });

  it('moves the public page with the handle and frees the old one', async () => {
    const { owner, context } = await withOrganization();
    await updateOrganization(context, { handle: 'Lakes' });
    expect(await getPublicProfile(context, { handle: 'lakes' })).toMatchObject({ name: 'Rivers' });
    await expect(getPublicProfile(context, { handle: 'rivers' })).rejects.toMatchObject({
      code: 'organization_not_found',
    });
    await createOrganization(owner.context, { name: 'New rivers', handle: 'rivers' });
    await expect(updateOrganization(context, { handle: 'rivers' })).rejects.toMatchObject({
      code: 'organization_handle_taken',
      fields: [{ path: 'handle' }],
    });
  });

  it('is for admins, not for credentials, and for no one in a suspended organization', async () => {
    const { context } = await withOrganization();
    const writer = await createMember(context, 'write');
    const admin = await createMember(context, 'admin');
    const change = { name: 'Lakes' };
    await expect(updateOrganization(writer.context, change)).rejects.toMatchObject({
      code: 'permission_required',
    });
    await expect(updateOrganization(credentialContext(context, []), change)).rejects.toMatchObject({
      code: 'person_required',
    });
    await updateOrganization(admin.context, change);
    await suspendOrganization(context);
    // Also for a request that began before.
    await expect(updateOrganization(context, { name: 'Seas' })).rejects.toMatchObject({
      code: 'organization_suspended',
    });
  });

  it('is refused for a personal workspace and for an organization that is managed elsewhere', async () => {
    const { app, owner, context } = await withOrganization();
    await expect(updateOrganization(owner.context, { name: 'Lakes' })).rejects.toMatchObject({
      code: 'organization_is_personal',
    });
    const issuer = 'https://code.example.ca';
    const { id } = context.organization;
    await app.db.updateTable('organizations').set({ issuer }).where('id', '=', id).execute();
    const elsewhere = await enterOrganization(owner, id);
    await expect(updateOrganization(elsewhere, { name: 'Lakes' })).rejects.toMatchObject({
      code: 'organization_managed_elsewhere',
    });
  });
});
