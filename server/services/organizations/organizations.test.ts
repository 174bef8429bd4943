import { describe, expect, it } from 'vitest';
import type { AppError } from '#server/errors.ts';
import { createTestPerson, joinOrganization } from '#tests/support/sign-in.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import { getOrganizationContext } from './get-organization-context.ts';
import { listOrganizations } from './list-organizations.ts';
import { resolveOrganization } from './resolve-organization.ts';
import { setOrganizationContext } from './set-organization-context.ts';

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: AppError) => error.code,
  );

describe('the organizations of a person', () => {
  it('are the personal workspace first, then the others by name', async () => {
    const app = await createTestApp();
    const host = await createTestPerson(app, { full_name: 'Aaron' });
    const guest = await createTestPerson(app, { full_name: 'Zoé' });
    await app.db
      .updateTable('organizations')
      .set({ external_id: 'org-9' })
      .where('id', '=', host.organization.id)
      .execute();
    await joinOrganization(guest, host.organization.id, 'read');
    const memberships = await listOrganizations(guest.context);
    expect(memberships.map((entry) => [entry.organization.id, entry.permission])).toEqual([
      [guest.organization.id, 'owner'],
      [host.organization.id, 'read'],
    ]);
  });

  it('are nobody else’s: somebody signed out has none', async () => {
    const app = await createTestApp();
    const context = { app, actor: { kind: 'anonymous' as const }, requestId: 'r', address: '' };
    expect(await codeOf(listOrganizations(context))).toBe('unauthenticated');
  });
});

describe('the organization a session stands in', () => {
  it('is the personal workspace until another is stored', async () => {
    const person = await createTestPerson(await createTestApp());
    expect((await getOrganizationContext(person.context)).organization_id).toBe(person.organization.id);
  });

  it('is stored with the session and recorded', async () => {
    const app = await createTestApp();
    const host = await createTestPerson(app);
    const guest = await createTestPerson(app);
    await joinOrganization(guest, host.organization.id, 'write');
    const answer = await setOrganizationContext(guest.context, { organization_id: host.organization.id });
    expect(answer.organization.id).toBe(host.organization.id);
    const session = await app.db
      .selectFrom('sessions')
      .select('organization_id')
      .where('id', '=', guest.actor.sessionId)
      .executeTakeFirstOrThrow();
    expect(session.organization_id).toBe(host.organization.id);
    const audit = await app.db
      .selectFrom('audit_events')
      .selectAll()
      .where('action', '=', 'organization.context')
      .execute();
    expect(audit).toMatchObject([{ actor_id: guest.user.id, organization_id: host.organization.id }]);
  });

  it('falls back to the personal workspace when the membership is gone', async () => {
    const app = await createTestApp();
    const host = await createTestPerson(app);
    const guest = await createTestPerson(app);
    const actor = { ...guest.actor, organizationId: host.organization.id };
    expect((await getOrganizationContext({ ...guest.context, actor })).organization_id).toBe(
      guest.organization.id,
    );
  });

  it('refuses an organization of somebody else as if it did not exist, and records nothing', async () => {
    const app = await createTestApp();
    const host = await createTestPerson(app);
    const stranger = await createTestPerson(app);
    expect(
      await codeOf(setOrganizationContext(stranger.context, { organization_id: host.organization.id })),
    ).toBe('organization_not_found');
    expect(await codeOf(resolveOrganization(stranger.context, host.organization.id))).toBe(
      'organization_not_found',
    );
    const audit = await app.db
      .selectFrom('audit_events')
      .select('id')
      .where('action', '=', 'organization.context')
      .execute();
    expect(audit).toEqual([]);
  });
});
