import { describe, expect, it } from 'vitest';
import { createRateLimits } from '#server/limits/rate-limits.ts';
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
import { sendDueMails } from '../../mail/send-due-mails.ts';
import { resolveOrganization } from '../resolve-organization.ts';
import { INVITATION_DAYS } from '../rules.ts';
import { inviteMember } from './invite-member.ts';
import { listInvitations } from './list-invitations.ts';
import { revokeInvitation } from './revoke-invitation.ts';

const MAIL = { MAIL_URL: 'smtp://mail.example.ca', MAIL_FROM: 'Portage <portage@example.ca>' };

async function withOrganization(options: Parameters<typeof createTestApp>[0] = {}) {
  const app = await createTestApp(options);
  const owner = await createTestPerson(app);
  return { app, owner, context: await createNamedOrganization(owner) };
}

const notGrantable = { code: 'permission_not_grantable' };

describe('inviteMember', () => {
  it('creates a link of 256 random bits that works for days, stored so that a copy of the table is useless', async () => {
    const { app, owner, context } = await withOrganization();
    const invitation = await inviteMember(context, { permission: 'write' });
    const expires = app.clock.now() + INVITATION_DAYS * 86_400_000;
    expect(invitation).toMatchObject({
      permission: 'write',
      email: null,
      invited_by: owner.user.login,
      delivery: 'none',
      expires_at: new Date(expires).toISOString(),
    });
    const [start, token = ''] = invitation.link?.split('/invitations/') ?? [];
    expect(start).toBe(`${app.config.publicUrl}/identity`);
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    const row = await app.db.selectFrom('organization_invitations').selectAll().executeTakeFirstOrThrow();
    expect(JSON.stringify(row)).not.toContain(token);
    expect(app.sealer.open(row.token_sealed, row.id)).toBe(token);
    expect(() => app.sealer.open(row.token_sealed, 'another')).toThrow();
    const audit = await auditRows(context, invitation.id);
    expect(audit).toMatchObject([
      { action: 'invitation.create', after: { email: null, permission: 'write' } },
    ]);
    expect(JSON.stringify(audit)).not.toContain(token);
  });

  it('queues a message with the link when email is configured', async () => {
    const { app, owner, context } = await withOrganization({ environment: MAIL });
    const invitation = await inviteMember(context, { permission: 'read', email: ' new@example.ca ' });
    expect(invitation).toMatchObject({ email: 'new@example.ca', delivery: 'queued' });
    const mail = await app.db.selectFrom('outgoing_mails').selectAll().executeTakeFirstOrThrow();
    expect(mail).toMatchObject({ recipient: 'new@example.ca', resource_id: invitation.id });
    const message = app.sealer.open(mail.message_sealed, mail.id);
    expect(message).toContain(invitation.link);
    expect(message).toContain(owner.user.full_name);
  });

  it('only shows the link when no email is sent, or without an address', async () => {
    const without = await withOrganization();
    const noted = await inviteMember(without.context, { permission: 'read', email: 'new@example.ca' });
    expect(noted).toMatchObject({ email: 'new@example.ca', delivery: 'none' });
    const withMail = await withOrganization({ environment: MAIL });
    expect(await inviteMember(withMail.context, { permission: 'read', email: '' })).toMatchObject({
      email: null,
      delivery: 'none',
    });
    expect(await withMail.app.db.selectFrom('outgoing_mails').select('id').execute()).toEqual([]);
  });

  it('is for people who may grant that permission: an administrator invites no owners', async () => {
    const { app, context } = await withOrganization();
    const writer = await createMember(context, 'write');
    const admin = await createMember(context, 'admin');
    await expect(inviteMember(writer.context, { permission: 'read' })).rejects.toMatchObject({
      code: 'permission_required',
    });
    await expect(inviteMember(admin.context, { permission: 'owner' })).rejects.toMatchObject(notGrantable);
    await inviteMember(admin.context, { permission: 'admin' });
    await inviteMember(context, { permission: 'owner' });
    const operator = await resolveOrganization(operatorContext(app), context.organization.id);
    for (const each of [operator, credentialContext(context, [])]) {
      await expect(inviteMember(each, { permission: 'read' })).rejects.toMatchObject({
        code: 'person_required',
      });
    }
  });

  it('is refused in a personal workspace, elsewhere, and while suspended', async () => {
    const { app, owner, context } = await withOrganization();
    const input = { permission: 'read' as const };
    await expect(inviteMember(owner.context, input)).rejects.toMatchObject({
      code: 'organization_is_personal',
    });
    await expect(listInvitations(owner.context, {})).rejects.toMatchObject({
      code: 'organization_is_personal',
    });
    await suspendOrganization(context);
    await expect(inviteMember(context, input)).rejects.toMatchObject({ code: 'organization_suspended' });
    const suspended = await enterOrganization(owner, context.organization.id);
    expect((await listInvitations(suspended, {})).items).toEqual([]);
    const { id } = context.organization;
    await app.db
      .updateTable('organizations')
      .set({ issuer: 'https://code.example.ca', suspended_at: null })
      .where('id', '=', id)
      .execute();
    await expect(inviteMember(context, input)).rejects.toMatchObject({
      code: 'organization_managed_elsewhere',
    });
  });

  it('is limited for one organization', async () => {
    const rateLimits = createRateLimits({ invitation_organization: { points: 1, seconds: 60 } });
    const { context } = await withOrganization({ rateLimits });
    await inviteMember(context, { permission: 'read' });
    await expect(inviteMember(context, { permission: 'read' })).rejects.toMatchObject({
      code: 'too_many_requests',
    });
  });

  it('is limited for one person, in however many organizations', async () => {
    const rateLimits = createRateLimits({ invitation_person: { points: 1, seconds: 60 } });
    const { owner, context } = await withOrganization({ rateLimits });
    const other = await createNamedOrganization(owner, { handle: 'another' });
    await inviteMember(context, { permission: 'read' });
    await expect(inviteMember(other, { permission: 'read' })).rejects.toMatchObject({
      code: 'too_many_requests',
    });
  });

  it('is limited for one recipient, whoever sends and however the address is written', async () => {
    const rateLimits = createRateLimits({ invitation_recipient: { points: 1, seconds: 60 } });
    const { app, context } = await withOrganization({ rateLimits, environment: MAIL });
    const other = await createNamedOrganization(await createTestPerson(app), { handle: 'another' });
    await inviteMember(context, { permission: 'read', email: 'victim@example.ca' });
    await expect(
      inviteMember(other, { permission: 'read', email: 'Victim@Example.ca' }),
    ).rejects.toMatchObject({ code: 'too_many_requests' });
    await inviteMember(other, { permission: 'read' });
    expect(await app.db.selectFrom('outgoing_mails').select('id').execute()).toHaveLength(1);
  });
});

describe('listInvitations', () => {
  it('shows those that still work, newest first, page by page, with the status of their messages', async () => {
    const { app, context } = await withOrganization({ environment: MAIL });
    const sent = await inviteMember(context, { permission: 'read', email: 'sent@example.ca' });
    const failed = await inviteMember(context, { permission: 'read', email: 'failed@example.ca' });
    const queued = await inviteMember(context, { permission: 'read', email: 'queued@example.ca' });
    const revoked = await inviteMember(context, { permission: 'read' });
    await revokeInvitation(context, { invitation_id: revoked.id });
    const now = app.clock.now();
    await app.db
      .updateTable('outgoing_mails')
      .set({ sent_at: now })
      .where('resource_id', '=', sent.id)
      .execute();
    await app.db
      .updateTable('outgoing_mails')
      .set({ failed_at: now })
      .where('resource_id', '=', failed.id)
      .execute();
    const first = await listInvitations(context, { limit: 2 });
    expect(first.items).toEqual([queued, { ...failed, delivery: 'failed' }]);
    const second = await listInvitations(context, { limit: 2, cursor: first.next_cursor ?? '' });
    expect(second).toEqual({ items: [{ ...sent, delivery: 'sent' }], next_cursor: null });
    app.clock.advance(INVITATION_DAYS * 86_400_000);
    expect((await listInvitations(context, {})).items).toEqual([]);
  });

  it('hides the link from people whose rights it exceeds, and from operators', async () => {
    const { app, owner, context } = await withOrganization();
    await inviteMember(context, { permission: 'owner' });
    await inviteMember(context, { permission: 'admin' });
    const admin = await createMember(context, 'admin');
    const operator = await resolveOrganization(operatorContext(app), context.organization.id);
    const linksFor = async (each: typeof context) =>
      (await listInvitations(each, {})).items.map((item) => [item.permission, item.link !== null]);
    expect(await linksFor(await enterOrganization(owner, context.organization.id))).toEqual([
      ['admin', true],
      ['owner', true],
    ]);
    expect(await linksFor(admin.context)).toEqual([
      ['admin', true],
      ['owner', false],
    ]);
    expect(await linksFor(operator)).toEqual([
      ['admin', false],
      ['owner', false],
    ]);
    const writer = await createMember(context, 'write');
    await expect(listInvitations(writer.context, {})).rejects.toMatchObject({ code: 'permission_required' });
  });
});

describe('revokeInvitation', () => {
  it('revokes it once and records it', async () => {
    const { app, context } = await withOrganization();
    const { id } = await inviteMember(context, { permission: 'read', email: 'new@example.ca' });
    const results = await atOnce(app, [
      () => revokeInvitation(context, { invitation_id: id }),
      () => revokeInvitation(context, { invitation_id: id }),
    ]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect((await auditRows(context, id)).at(-1)).toMatchObject({
      action: 'invitation.revoke',
      before: { email: 'new@example.ca', permission: 'read' },
    });
  });

  it('cancels a message that was not sent yet, and leaves one that was', async () => {
    const { app, context } = await withOrganization({ environment: MAIL });
    const waiting = await inviteMember(context, { permission: 'read', email: 'wrong@example.ca' });
    const sent = await inviteMember(context, { permission: 'read', email: 'sent@example.ca' });
    const mails = app.db.updateTable('outgoing_mails').set({ sent_at: 1, next_attempt_at: null });
    await mails.where('resource_id', '=', sent.id).execute();
    for (const { id } of [waiting, sent]) await revokeInvitation(context, { invitation_id: id });
    const rows = await app.db.selectFrom('outgoing_mails').selectAll().orderBy('recipient').execute();
    expect(rows).toMatchObject([
      { recipient: 'sent@example.ca', sent_at: 1, failed_at: null },
      { recipient: 'wrong@example.ca', sent_at: null, next_attempt_at: null, message_sealed: '' },
    ]);
    expect((await sendDueMails({ ...context, actor: { kind: 'job', name: 'mail' } })).sent).toBe(0);
  });

  it('cannot reach invitations of another organization, nor can an administrator one for an owner', async () => {
    const { app, context } = await withOrganization();
    const elsewhere = await createNamedOrganization(await createTestPerson(app));
    const { id } = await inviteMember(context, { permission: 'owner' });
    await expect(revokeInvitation(elsewhere, { invitation_id: id })).rejects.toMatchObject({
      code: 'invitation_not_found',
    });
    const admin = await createMember(context, 'admin');
    await expect(revokeInvitation(admin.context, { invitation_id: id })).rejects.toMatchObject(notGrantable);
    const writer = await createMember(context, 'write');
    await expect(revokeInvitation(writer.context, { invitation_id: id })).rejects.toMatchObject({
      code: 'permission_required',
    });
  });
});
