import { describe, expect, it } from 'vitest';
import type { OrganizationContext } from '#server/context.ts';
import { auditRows } from '#tests/support/app/audit.ts';
import { credentialContext } from '#tests/support/app/credential-context.ts';
import {
  createMember,
  createNamedOrganization,
  enterOrganization,
  suspendOrganization,
} from '#tests/support/app/named-organization.ts';
import { operatorContext } from '#tests/support/app/operator-context.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { atOnce } from '#tests/support/at-once.ts';
import { resolveOrganization } from '../resolve-organization.ts';
import { updateMember } from './update-member.ts';

async function withOrganization() {
  const app = await createTestApp();
  const owner = await createTestPerson(app);
  return { app, owner, context: await createNamedOrganization(owner) };
}

/** A race that is not always close is run more than once. */
const ROUNDS = 8;

/**
 * Runs concurrent actions of owners, returns the codes of what was refused, and makes them all owners again.
 */
async function raceOfOwners(
  { app, organization }: OrganizationContext,
  works: readonly (() => Promise<unknown>)[],
): Promise<string[]> {
  const results = await atOnce(app, works);
  await app.db
    .updateTable('memberships')
    .set({ permission: 'owner' })
    .where('organization_id', '=', organization.id)
    .execute();
  return results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
}

const notGrantable = { code: 'permission_not_grantable' };

describe('updateMember', () => {
  it('changes the permission, effective immediately, and records both', async () => {
    const { context } = await withOrganization();
    const { person } = await createMember(context, 'read');
    const changed = await updateMember(context, { user_id: person.user.id, permission: 'admin' });
    expect(changed).toMatchObject({ user_id: person.user.id, permission: 'admin' });
    const { organization } = await enterOrganization(person, context.organization.id);
    expect(organization.permission).toBe('admin');
    expect(await auditRows(context, person.user.id)).toMatchObject([
      { action: 'member.update', before: { permission: 'read' }, after: { permission: 'admin' } },
    ]);
  });

  it('changes and records nothing when the permission is the same', async () => {
    const { context } = await withOrganization();
    const { person } = await createMember(context, 'read');
    await updateMember(context, { user_id: person.user.id, permission: 'read' });
    expect(await auditRows(context, person.user.id)).toEqual([]);
  });

  it('lets administrators manage everyone but owners, and appoint none', async () => {
    const { app, owner, context } = await withOrganization();
    const admin = await createMember(context, 'admin');
    const writer = await createMember(context, 'write');
    const operator = await resolveOrganization(operatorContext(app), context.organization.id);
    for (const each of [admin.context, operator]) {
      const change = (user_id: string, permission: 'owner' | 'admin' | 'read') =>
        updateMember(each, { user_id, permission });
      await expect(change(owner.user.id, 'read')).rejects.toMatchObject(notGrantable);
      await expect(change(owner.user.id, 'owner')).rejects.toMatchObject(notGrantable);
      await expect(change(admin.person.user.id, 'owner')).rejects.toMatchObject(notGrantable);
      expect(await change(writer.person.user.id, 'admin')).toMatchObject({ permission: 'admin' });
      expect(await change(writer.person.user.id, 'read')).toMatchObject({ permission: 'read' });
    }
  });

  it('keeps an owner: the last one cannot step down', async () => {
    const { owner, context } = await withOrganization();
    const stepDown = { user_id: owner.user.id, permission: 'admin' as const };
    await expect(updateMember(context, stepDown)).rejects.toMatchObject({ code: 'last_owner' });
    const { person } = await createMember(context, 'write');
    await updateMember(context, { user_id: person.user.id, permission: 'owner' });
    expect(await updateMember(context, stepDown)).toMatchObject({ permission: 'admin' });
  });

  it('lets one of two owners win who take away each other’s permission at the same time', async () => {
    const { owner, context } = await withOrganization();
    const other = await createMember(context, 'owner');
    // A third owner keeps the last-owner rule out of it: the second request has lost its rights.
    await createMember(context, 'owner');
    for (let round = 0; round < ROUNDS; round++) {
      const reasons = await raceOfOwners(context, [
        () => updateMember(context, { user_id: other.person.user.id, permission: 'read' }),
        () => updateMember(other.context, { user_id: owner.user.id, permission: 'read' }),
      ]);
      expect(reasons).toEqual(['permission_required']);
    }
  });

  it('leaves one owner when both of two step down at the same time', async () => {
    const { owner, context } = await withOrganization();
    const other = await createMember(context, 'owner');
    for (let round = 0; round < ROUNDS; round++) {
      const reasons = await raceOfOwners(context, [
        () => updateMember(context, { user_id: owner.user.id, permission: 'read' }),
        () => updateMember(other.context, { user_id: other.person.user.id, permission: 'read' }),
      ]);
      expect(reasons).toEqual(['last_owner']);
    }
  });

  it('does not find a member of another organization', async () => {
    const { app, context } = await withOrganization();
    const stranger = await createTestPerson(app);
    await expect(
      updateMember(context, { user_id: stranger.user.id, permission: 'read' }),
    ).rejects.toMatchObject({ code: 'member_not_found' });
  });

  it('is for admins, not for credentials, not while suspended, never in a personal workspace', async () => {
    const { owner, context } = await withOrganization();
    const writer = await createMember(context, 'write');
    const input = { user_id: writer.person.user.id, permission: 'read' as const };
    await expect(updateMember(writer.context, input)).rejects.toMatchObject({ code: 'permission_required' });
    await expect(updateMember(credentialContext(context, []), input)).rejects.toMatchObject({
      code: 'person_required',
    });
    await expect(
      updateMember(owner.context, { user_id: owner.user.id, permission: 'read' }),
    ).rejects.toMatchObject({ code: 'organization_is_personal' });
    await suspendOrganization(context);
    await expect(updateMember(context, input)).rejects.toMatchObject({ code: 'organization_suspended' });
  });
});
