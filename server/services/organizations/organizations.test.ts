import { describe, expect, it } from 'vitest';
import type { AppError } from '#server/errors.ts';
import { credentialContext } from '#tests/support/app/credential-context.ts';
import {
  createNamedOrganization,
  enterOrganization,
  suspendOrganization,
} from '#tests/support/app/named-organization.ts';
import { operatorContext } from '#tests/support/app/operator-context.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson, joinOrganization } from '#tests/support/app/test-person.ts';
import { createSite } from '../sites/create-site.ts';
import { getOrganization } from './get-organization.ts';
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

  it('are private: a signed-out visitor has none', async () => {
    const app = await createTestApp();
    const context = { app, actor: { kind: 'anonymous' as const }, requestId: 'r', address: '' };
    expect(await codeOf(listOrganizations(context))).toBe('unauthenticated');
  });
});

describe('the current organization of a session', () => {
  it('is the personal workspace until another is stored', async () => {
    const person = await createTestPerson(await createTestApp());
    expect((await getOrganizationContext(person.context)).organization_id).toBe(person.organization.id);
  });

  it('is stored with the session and recorded', async () => {
    const app = await createTestApp();
    const host = await createTestPerson(app);
    const guest = await createTestPerson(app);
    await joinOrganization(guest, host.organization.id, 'write');
    const response = await setOrganizationContext(guest.context, { organization_id: host.organization.id });
    expect(response.organization.id).toBe(host.organization.id);
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

  it('refuses another person’s organization as if it did not exist, and records nothing', async () => {
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

describe('an organization that is suspended, or has no members any more', () => {
  it('can be entered and be current while it is suspended, without changes in it', async () => {
    const person = await createTestPerson(await createTestApp());
    const organization_id = (await createNamedOrganization(person)).organization.id;
    await suspendOrganization(await enterOrganization(person, organization_id));
    const place = await setOrganizationContext(person.context, { organization_id });
    expect(place.organization).toMatchObject({
      suspended_at: '2026-03-01T12:00:00.000Z',
      suspension_reason: 'unpaid',
    });
    expect(await listOrganizations(person.context)).toHaveLength(2);
    const context = await enterOrganization(person, organization_id);
    expect(context.organization.isSuspended).toBe(true);
    await expect(createSite(context, { name: 'blog' })).rejects.toMatchObject({
      code: 'organization_suspended',
    });
  });

  it('allows operators to look but no credentials once it is detached, because no one could revoke them', async () => {
    const app = await createTestApp();
    const context = await createNamedOrganization(await createTestPerson(app));
    const { id } = context.organization;
    const credential = credentialContext(context, []);
    expect((await resolveOrganization(credential, id)).organization.id).toBe(id);
    await app.db.updateTable('organizations').set({ detached_at: 1 }).where('id', '=', id).execute();
    await expect(resolveOrganization(credential, id)).rejects.toMatchObject({
      code: 'organization_not_found',
    });
    const seen = await getOrganization(await resolveOrganization(operatorContext(app, 'read'), id));
    expect(seen.id).toBe(id);
  });
});
