import { describe, expect, it } from 'vitest';
import { newId } from '#server/ids.ts';
import { auditRows } from '#tests/support/app/audit.ts';
import {
  createMember,
  createNamedOrganization,
  enterOrganization,
} from '#tests/support/app/named-organization.ts';
import { operatorContext } from '#tests/support/app/operator-context.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { atOnce } from '#tests/support/at-once.ts';
import { createCredential } from '../credentials/create-credential.ts';
import { createSite } from '../sites/create-site.ts';
import { deleteSite } from '../sites/delete-site.ts';
import { SITE_UNDO_MS } from '../sites/rules.ts';
import { createOrganization } from './create-organization.ts';
import { deleteOrganization } from './delete-organization.ts';
import { getOrganizationContext } from './get-organization-context.ts';
import { getPublicProfile } from './get-public-profile.ts';
import { getInvitation } from './invitations/get-invitation.ts';
import { inviteMember } from './invitations/invite-member.ts';
import { listOrganizations } from './list-organizations.ts';
import { resolveOrganization } from './resolve-organization.ts';
import { setOrganizationContext } from './set-organization-context.ts';

async function withOrganization() {
  const app = await createTestApp();
  const owner = await createTestPerson(app);
  const context = await createNamedOrganization(owner, { handle: 'rivers' });
  return { app, owner, context };
}

const notFound = { code: 'organization_not_found' };
const notEmpty = { code: 'organization_not_empty' };

describe('deleteOrganization', () => {
  it('ends every membership and invitation, frees the handle and keeps the records', async () => {
    const { owner, context } = await withOrganization();
    const { person } = await createMember(context, 'write');
    const { link } = await inviteMember(context, { permission: 'read' });
    await setOrganizationContext(person.context, { organization_id: context.organization.id });

    await deleteOrganization(context);
    for (const each of [owner, person]) {
      await expect(enterOrganization(each, context.organization.id)).rejects.toMatchObject(notFound);
      expect((await listOrganizations(each.context)).map(({ organization }) => organization.id)).toEqual([
        each.organization.id,
      ]);
    }
    const actor = { ...person.actor, organizationId: context.organization.id };
    const fallenBack = await getOrganizationContext({ ...person.context, actor });
    expect(fallenBack.organization_id).toBe(person.organization.id);
    const token = link?.split('/').at(-1) ?? '';
    await expect(getInvitation(owner.context, { token })).rejects.toMatchObject({
      code: 'invitation_not_found',
    });
    await expect(getPublicProfile(owner.context, { handle: 'rivers' })).rejects.toMatchObject(notFound);
    expect((await auditRows(context, context.organization.id)).at(-1)).toMatchObject({
      action: 'organization.delete',
      before: { name: 'Rivers', handle: 'rivers', member_count: 2 },
    });
    const again = await createOrganization(owner.context, { name: 'New', handle: 'rivers' });
    expect(again.organization.id).not.toBe(context.organization.id);
    await expect(deleteOrganization(context)).rejects.toMatchObject(notFound);
  });

  it('is refused while a site is live or can be restored', async () => {
    const { app, context } = await withOrganization();
    const site = await createSite(context, { name: 'blog' });
    await expect(deleteOrganization(context)).rejects.toMatchObject(notEmpty);
    await deleteSite(context, { site_id: site.id });
    await expect(deleteOrganization(context)).rejects.toMatchObject(notEmpty);
    app.clock.advance(SITE_UNDO_MS);
    await deleteOrganization(context);
  });

  it('is refused while there is a credential or an endpoint', async () => {
    const { app, context } = await withOrganization();
    const { credential } = await createCredential(context, { name: 'CI' });
    await expect(deleteOrganization(context)).rejects.toMatchObject(notEmpty);
    await app.db.deleteFrom('credentials').where('id', '=', credential.id).execute();
    const endpoint = {
      id: newId(),
      organization_id: context.organization.id,
      hostname: 'www.example.ca',
      cname_target: 'a.edge.localhost',
      origin_type: 'redirect' as const,
      site_id: null,
      redirect_target: 'https://example.ca',
      created_at: 0,
      updated_at: 0,
    };
    await app.db.insertInto('cdn_endpoints').values(endpoint).execute();
    await expect(deleteOrganization(context)).rejects.toMatchObject(notEmpty);
  });

  it('never strands a site that is created at the same time', async () => {
    const { app, context } = await withOrganization();
    const [deleted, created] = await atOnce<unknown>(app, [
      () => deleteOrganization(context),
      () => createSite(context, { name: 'blog' }),
    ]);
    const sites = await app.db.selectFrom('sites').select('id').execute();
    const isDeleted = deleted?.status === 'fulfilled';
    expect(created?.status).toBe(isDeleted ? 'rejected' : 'fulfilled');
    expect(sites).toHaveLength(isDeleted ? 0 : 1);
    expect(isDeleted ? created : deleted).toMatchObject({ reason: isDeleted ? notFound : notEmpty });
  });

  it('accepts nothing any more, not even from an operator', async () => {
    const { app, context } = await withOrganization();
    await deleteOrganization(context);
    const operator = await resolveOrganization(operatorContext(app), context.organization.id);
    await expect(createSite(operator, { name: 'blog' })).rejects.toMatchObject(notFound);
    await expect(createCredential(context, { name: 'CI' })).rejects.toMatchObject(notFound);
  });

  it('is for owners only, and never for a personal workspace', async () => {
    const { app, owner, context } = await withOrganization();
    const admin = await createMember(context, 'admin');
    const operator = await resolveOrganization(operatorContext(app), context.organization.id);
    for (const each of [admin.context, operator]) {
      await expect(deleteOrganization(each)).rejects.toMatchObject({ code: 'permission_required' });
    }
    await expect(deleteOrganization(owner.context)).rejects.toMatchObject({
      code: 'organization_is_personal',
    });
  });

  it('happens once when two owners ask at the same time', async () => {
    const { app, context } = await withOrganization();
    const other = await createMember(context, 'owner');
    const results = await atOnce(
      app,
      [context, other.context].map((each) => () => deleteOrganization(each)),
    );
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});
