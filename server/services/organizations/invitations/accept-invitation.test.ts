import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { isPostgres } from '#db/client.ts';
import { inTransaction } from '#db/transaction.ts';
import type { App, OrganizationContext } from '#server/context.ts';
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
import { pollUntil } from '#tests/support/poll-until.ts';
import { listOrganizations } from '../list-organizations.ts';
import { listMembers } from '../members/list-members.ts';
import { removeMember } from '../members/remove-member.ts';
import { updateMember } from '../members/update-member.ts';
import { INVITATION_DAYS, type Permission } from '../rules.ts';
import { acceptInvitation } from './accept-invitation.ts';
import { getInvitation } from './get-invitation.ts';
import { inviteMember } from './invite-member.ts';
import { listInvitations } from './list-invitations.ts';
import { revokeInvitation } from './revoke-invitation.ts';

const notFound = { code: 'invitation_not_found' };

async function withOrganization(options: Parameters<typeof createTestApp>[0] = {}) {
  const app = await createTestApp(options);
  const owner = await createTestPerson(app, { full_name: 'Ada Lovelace' });
  const context = await createNamedOrganization(owner, { handle: 'rivers', description: 'Water' });
  return { app, owner, context, guest: await createTestPerson(app) };
}

/** Creates an invitation and returns the token in its link. */
async function invite(context: OrganizationContext, permission: Permission = 'write') {
  const { id, link } = await inviteMember(context, { permission });
  return { id, token: link?.split('/').at(-1) ?? '' };
}

/**
 * How many connections of the database wait for a lock: PostgreSQL only, queried from outside any
 * transaction.
 */
async function countWaiting({ db }: App): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
  return rows[0]?.count ?? 0;
}

describe('getInvitation', () => {
  it('shows anyone with the link what it is for, and nothing more', async () => {
    const { app, context } = await withOrganization();
    const { token } = await invite(context);
    const anonymous = { app, actor: { kind: 'anonymous' as const }, requestId: 'r', address: '192.0.2.7' };
    expect(await getInvitation(anonymous, { token })).toEqual({
      organization: { name: 'Rivers', handle: 'rivers', description: 'Water', avatar_url: null },
      permission: 'write',
      invited_by: 'Ada Lovelace',
      email: null,
      expires_at: new Date(app.clock.now() + INVITATION_DAYS * 86_400_000).toISOString(),
      organization_id: null,
    });
  });

  it('tells a member which organization it is', async () => {
    const { owner, context } = await withOrganization();
    const { token } = await invite(context);
    expect(await getInvitation(owner.context, { token })).toMatchObject({
      organization_id: context.organization.id,
    });
  });

  it('is limited for one address', async () => {
    const rateLimits = createRateLimits({ invitation_lookup_address: { points: 2, seconds: 60 } });
    const { guest } = await withOrganization({ rateLimits });
    for (const token of ['a', 'b']) {
      await expect(getInvitation(guest.context, { token })).rejects.toMatchObject(notFound);
    }
    await expect(acceptInvitation(guest.context, { token: 'c' })).rejects.toMatchObject({
      code: 'too_many_requests',
    });
    const elsewhere = { ...guest.context, address: '192.0.2.99' };
    await expect(getInvitation(elsewhere, { token: 'd' })).rejects.toMatchObject(notFound);
  });
});

describe('acceptInvitation', () => {
  it('makes the person a member with the promised permission, once, and records it', async () => {
    const { context, guest } = await withOrganization();
    const { id, token } = await invite(context, 'admin');
    const joined = await acceptInvitation(guest.context, { token });
    expect(joined).toMatchObject({ permission: 'admin', organization: { id: context.organization.id } });
    expect(await listOrganizations(guest.context)).toContainEqual(joined);
    expect(await auditRows(context, id)).toMatchObject([
      { action: 'invitation.create' },
      { action: 'invitation.accept', actor_name: guest.user.login, after: { permission: 'admin' } },
    ]);
    expect((await listInvitations(context, {})).items).toEqual([]);
    const late = await createTestPerson(context.app);
    for (const person of [guest, late]) {
      await expect(acceptInvitation(person.context, { token })).rejects.toMatchObject(notFound);
      await expect(getInvitation(person.context, { token })).rejects.toMatchObject(notFound);
    }
  });

  it('admits one of many who click at the same time', async () => {
    const { app, context } = await withOrganization();
    const { token } = await invite(context);
    const people = await Promise.all(Array.from({ length: 5 }, () => createTestPerson(app)));
    const results = await atOnce(
      app,
      people.map((person) => () => acceptInvitation(person.context, { token })),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject(notFound);
    }
    expect((await listMembers(context, {})).items).toHaveLength(2);
  });

  it('creates one membership when one person uses two invitations at the same time, and the other still works', async () => {
    const { app, context, guest } = await withOrganization();
    const tokens = [await invite(context), await invite(context)];
    const results = await atOnce(
      app,
      tokens.map(
        ({ token }) =>
          () =>
            acceptInvitation(guest.context, { token }),
      ),
    );
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'already_member' },
    });
    expect((await listInvitations(context, {})).items).toHaveLength(1);
    expect(await app.db.selectFrom('memberships').selectAll().execute()).toHaveLength(4);
  });

  it('is not used up by a person who is already a member', async () => {
    const { context, guest } = await withOrganization();
    const { token } = await invite(context, 'owner');
    const member = await createMember(context, 'read');
    await expect(acceptInvitation(member.context, { token })).rejects.toMatchObject({
      code: 'already_member',
    });
    expect((await enterOrganization(member.person, context.organization.id)).organization.permission).toBe(
      'read',
    );
    await acceptInvitation(guest.context, { token });
  });

  it('is refused in the same way when it is unknown, revoked, expired or slightly wrong', async () => {
    const { app, context, guest } = await withOrganization();
    const { id, token } = await invite(context);
    for (const wrong of ['unknown', token.slice(0, -1), `${token} `, token.toUpperCase(), id]) {
      await expect(acceptInvitation(guest.context, { token: wrong })).rejects.toMatchObject(notFound);
    }
    await revokeInvitation(context, { invitation_id: id });
    await expect(acceptInvitation(guest.context, { token })).rejects.toMatchObject(notFound);
    const late = await invite(context);
    app.clock.advance(INVITATION_DAYS * 86_400_000 - 1);
    await getInvitation(guest.context, { token: late.token });
    app.clock.advance(1);
    await expect(acceptInvitation(guest.context, { token: late.token })).rejects.toMatchObject(notFound);
  });

  it('stops working once the inviter could no longer grant the permission', async () => {
    const { context, guest } = await withOrganization();
    const owner = await createMember(context, 'owner');
    const forOwner = await invite(owner.context, 'owner');
    const forWriter = await invite(owner.context, 'write');
    await updateMember(context, { user_id: owner.person.user.id, permission: 'admin' });
    await expect(acceptInvitation(guest.context, { token: forOwner.token })).rejects.toMatchObject(notFound);
    expect((await listInvitations(context, {})).items.map(({ id }) => id)).toEqual([forWriter.id]);
    await removeMember(context, { user_id: owner.person.user.id });
    // No one comes back by their own link.
    await expect(acceptInvitation(owner.person.context, { token: forWriter.token })).rejects.toMatchObject(
      notFound,
    );
    await expect(getInvitation(guest.context, { token: forWriter.token })).rejects.toMatchObject(notFound);
  });

  it('brings no one back who is being removed at that moment', async () => {
    const { app, context } = await withOrganization();
    const { person, context: own } = await createMember(context, 'owner');
    const { token } = await invite(own, 'owner');
    const accepted = await inTransaction(app.db, async (trx) => {
      const { id } = context.organization;
      const lock = trx.selectFrom('organizations').select('id').where('id', '=', id);
      await lock.$if(isPostgres(trx), (query) => query.forUpdate()).execute();
      await trx.deleteFrom('memberships').where('user_id', '=', person.user.id).execute();
      const result = Promise.allSettled([acceptInvitation(person.context, { token })]);
      // On SQLite it has not begun yet; here it has read who invited, and waits for us.
      if (isPostgres(trx))
        await pollUntil(
          () => countWaiting(app),
          (count) => count > 0,
        );
      return { result };
    });
    expect(await accepted.result).toMatchObject([{ status: 'rejected', reason: notFound }]);
    expect((await listMembers(context, {})).items).toHaveLength(1);
  });

  it('is refused while the organization is suspended, and works again afterwards', async () => {
    const { app, context, guest } = await withOrganization();
    const { token } = await invite(context);
    await suspendOrganization(context);
    for (const work of [acceptInvitation, getInvitation]) {
      await expect(work(guest.context, { token })).rejects.toMatchObject({ code: 'organization_suspended' });
    }
    await app.db.updateTable('organizations').set({ suspended_at: null }).execute();
    await acceptInvitation(guest.context, { token });
  });

  it('is refused when the organization is now managed elsewhere', async () => {
    const { app, context, guest } = await withOrganization();
    const { token } = await invite(context);
    await app.db
      .updateTable('organizations')
      .set({ issuer: 'https://code.example.ca' })
      .where('id', '=', context.organization.id)
      .execute();
    await expect(acceptInvitation(guest.context, { token })).rejects.toMatchObject(notFound);
  });

  it('is for people only', async () => {
    const { app, owner, context } = await withOrganization();
    const { token } = await invite(context);
    for (const each of [credentialContext(owner.context, []), operatorContext(app)]) {
      await expect(acceptInvitation(each, { token })).rejects.toMatchObject({ code: 'person_required' });
    }
  });
});
