import type { z } from 'zod';
import { type OrganizationContext, requirePerson } from '#server/context.ts';
import { DAY_MS } from '#server/durations.ts';
import { newId, newToken } from '#server/ids.ts';
import { requireWithinLimits } from '../../limits/require-within-limits.ts';
import { composeInvitation } from '../../mail/compose-invitation.ts';
import { queueMail } from '../../mail/queue-mail.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { enterManagedOrganization } from '../enter-managed-organization.ts';
import { requireGrantable } from '../members/require-grantable.ts';
import { requireOrganizationRight } from '../require-organization-right.ts';
import { INVITATION_DAYS } from '../rules.ts';
import { type Invitation, inviteMemberInput } from '../schema.ts';
import {
  findInviterName,
  type InvitationRow,
  invitationLink,
  invitationTokenHash,
  toInvitation,
} from './invitation-queries.ts';

/**
 * Creates a one-time link that lets anyone with it join with this permission, and returns it. With an address
 * and configured email it is also sent there. Only people invite people: the link is a secret that no
 * operator sees.
 * @throws person_required, permission_required, permission_not_grantable, too_many_requests,
 * organization_is_personal, organization_managed_elsewhere, limit_invitations
 */
export async function inviteMember(
  context: OrganizationContext,
  input: z.input<typeof inviteMemberInput>,
): Promise<Invitation> {
  const person = requirePerson(context);
  requireOrganizationRight(context, 'member.invite');
  const { permission, email } = inviteMemberInput.parse(input);
  const { app } = context;
  requireGrantable(context.organization.permission, permission);
  await app.rateLimits.consume('invitation_person', person.userId);
  await app.rateLimits.consume('invitation_organization', context.organization.id);
  if (email && app.config.mail) await app.rateLimits.consume('invitation_recipient', email.toLowerCase());
  const token = newToken();
  return inUnitOfWork(context, async ({ trx, now, audit }) => {
    const id = newId(now);
    const { organization, ...own } = await enterManagedOrganization(trx, context, 'member.invite');
    requireGrantable(own.permission, permission);
    const row: InvitationRow = {
      id,
      organization_id: organization.id,
      token_hash: invitationTokenHash(token),
      token_sealed: app.sealer.seal(token, id),
      email: email ?? null,
      permission,
      invited_by: person.login,
      invited_by_id: person.userId,
      created_at: now,
      expires_at: now + INVITATION_DAYS * DAY_MS,
      accepted_at: null,
      accepted_by: null,
      revoked_at: null,
    };
    await trx.insertInto('organization_invitations').values(row).execute();
    await requireWithinLimits(trx, app, organization.id, ['invitations']);
    await audit({
      action: 'invitation.create',
      resource_type: 'invitation',
      resource_id: id,
      organization_id: organization.id,
      after: { email: row.email, permission },
    });
    const link = invitationLink(app, token);
    const isSent = row.email !== null && app.config.mail !== null;
    if (row.email !== null && isSent) {
      const inviterName = await findInviterName(trx, row);
      const facts = { organizationName: organization.name, inviterName, link, expiresAt: row.expires_at };
      await queueMail(trx, app, {
        recipient: row.email,
        message: composeInvitation(app, facts),
        resource_type: 'invitation',
        resource_id: id,
        expires_at: row.expires_at,
      });
    }
    return toInvitation(row, { link, delivery: isSent ? 'queued' : 'none' });
  });
}
