import { expect, it } from 'vitest';
import { createTestApp } from '#tests/support/test-app.ts';
import { createTestPerson } from '#tests/support/test-person.ts';
import { createOrganization } from './create-organization.ts';
import { inviteMember } from './invite-member.ts';
import { listInvitations } from './list-invitations.ts';
import { purgePastInvitations } from './purge-past-invitations.ts';
import { resolveOrganization } from './resolve-organization.ts';
import { revokeInvitation } from './revoke-invitation.ts';

const DAY_MS = 86_400_000;

it('invitations are deleted 30 days after they were revoked or have expired, and not before', async () => {
  const app = await createTestApp();
  const person = await createTestPerson(app);
  const { organization } = await createOrganization(person.context, { name: 'Rivers', handle: 'rivers' });
  const context = await resolveOrganization(person.context, organization.id);
  const job = { app, actor: { kind: 'job', name: 'purge' } as const, requestId: '', address: '' };
  const revoked = await inviteMember(context, { permission: 'read' });
  await inviteMember(context, { permission: 'write' });
  await revokeInvitation(context, { invitation_id: revoked.id });
  app.clock.advance(30 * DAY_MS - 1);
  expect(await purgePastInvitations(job)).toEqual({ purged: 0 });
  app.clock.advance(1);
  expect(await purgePastInvitations(job)).toEqual({ purged: 1 });
  const open = await inviteMember(context, { permission: 'admin' });
  app.clock.advance(7 * DAY_MS - 2);
  expect(await purgePastInvitations(job)).toEqual({ purged: 0 });
  expect((await listInvitations(context, {})).items.map(({ id }) => id)).toEqual([open.id]);
  app.clock.advance(2);
  expect(await purgePastInvitations(job)).toEqual({ purged: 1 });
});
