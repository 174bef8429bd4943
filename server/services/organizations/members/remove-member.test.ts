import { describe, expect, it } from 'vitest';
import { auditRows } from '#tests/support/app/audit.ts';
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
import { createCredential } from '../../credentials/create-credential.ts';
import { listCredentials } from '../../credentials/list-credentials.ts';
import { getOrganizationContext } from '../get-organization-context.ts';
import { resolveOrganization } from '../resolve-organization.ts';
import { setOrganizationContext } from '../set-organization-context.ts';
import { leaveOrganization } from './leave-organization.ts';
import { listMembers } from './list-members.ts';
import { removeMember } from './remove-member.ts';

async function withOrganization() {
  const app = await createTestApp();
  const owner = await createTestPerson(app);
  return { app, owner, context: await createNamedOrganization(owner) };
}

describe('removeMember', () => {
  it('ends the access with the next request, falls back to the personal workspace, and records it', async () => {
    const { context } = await withOrganization();
    const { person } = await createMember(context, 'write');
    await setOrganizationContext(person.context, { organization_id: context.organization.id });
    await removeMember(context, { user_id: person.user.id });
    await expect(enterOrganization(person, context.organization.id)).rejects.toMatchObject({
      code: 'organization_not_found',
    });
    const actor = { ...person.actor, organizationId: context.organization.id };
    const place = await getOrganizationContext({ ...person.context, actor });
    expect(place.organization_id).toBe(person.organization.id);
    expect(await auditRows(context, person.user.id)).toMatchObject([
      { action: 'member.remove', before: { login: person.user.login, permission: 'write' } },
    ]);
    await expect(removeMember(context, { user_id: person.user.id })).rejects.toMatchObject({
      code: 'member_not_found',
    });
  });

  it('keeps the credentials that the member created: they belong to the organization', async () => {
    const { context } = await withOrganization();
    const admin = await createMember(context, 'admin');
    const { credential } = await createCredential(admin.context, { name: 'CI' });
    await removeMember(context, { user_id: admin.person.user.id });
    expect(await listCredentials(context)).toMatchObject([{ id: credential.id, is_active: true }]);
  });

  it('lets administrators and operators remove everyone but owners', async () => {
    const { app, owner, context } = await withOrganization();
    const admin = await createMember(context, 'admin');
    const operator = await resolveOrganization(operatorContext(app), context.organization.id);
    for (const each of [admin.context, operator]) {
      await expect(removeMember(each, { user_id: owner.user.id })).rejects.toMatchObject({
        code: 'permission_not_grantable',
      });
      const { person } = await createMember(context, 'admin');
      await removeMember(each, { user_id: person.user.id });
    }
    const writer = await createMember(context, 'write');
    await expect(removeMember(writer.context, { user_id: admin.person.user.id })).rejects.toMatchObject({
      code: 'permission_required',
    });
  });

  it('lets one of two admins win who remove each other at the same time', async () => {
    const { app, context } = await withOrganization();
    const [one, other] = [await createMember(context, 'admin'), await createMember(context, 'admin')];
    const results = await atOnce(app, [
      () => removeMember(one.context, { user_id: other.person.user.id }),
      () => removeMember(other.context, { user_id: one.person.user.id }),
    ]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect((await listMembers(context, {})).items).toHaveLength(2);
  });

  it('keeps the last owner and refuses a personal workspace', async () => {
    const { owner, context } = await withOrganization();
    const input = { user_id: owner.user.id };
    await expect(removeMember(context, input)).rejects.toMatchObject({ code: 'last_owner' });
    await expect(removeMember(owner.context, input)).rejects.toMatchObject({
      code: 'organization_is_personal',
    });
  });
});

describe('leaveOrganization', () => {
  it('ends one’s own membership, whatever its permission, and records it', async () => {
    const { context } = await withOrganization();
    const { person, context: own } = await createMember(context, 'read');
    await leaveOrganization(own);
    await expect(enterOrganization(person, context.organization.id)).rejects.toMatchObject({
      code: 'organization_not_found',
    });
    expect(await auditRows(context, person.user.id)).toMatchObject([
      { action: 'member.leave', actor_name: person.user.login, before: { permission: 'read' } },
    ]);
    await expect(leaveOrganization(own)).rejects.toMatchObject({ code: 'organization_not_found' });
  });

  it('leaves one owner behind when both of two leave at the same time', async () => {
    const { app, context } = await withOrganization();
    const other = await createMember(context, 'owner');
    const results = await atOnce(
      app,
      [context, other.context].map((each) => () => leaveOrganization(each)),
    );
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'last_owner' },
    });
  });

  it('is for people only, never from a personal workspace, and not while suspended', async () => {
    const { app, owner, context } = await withOrganization();
    const operator = await resolveOrganization(operatorContext(app), context.organization.id);
    await expect(leaveOrganization(operator)).rejects.toMatchObject({ code: 'person_required' });
    await expect(leaveOrganization(owner.context)).rejects.toMatchObject({
      code: 'organization_is_personal',
    });
    const { context: own } = await createMember(context, 'read');
    await suspendOrganization(context);
    await expect(leaveOrganization(own)).rejects.toMatchObject({ code: 'organization_suspended' });
  });
});
