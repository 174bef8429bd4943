import type { z } from 'zod';
import type { OrganizationContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { cancelMails } from '../../mail/cancel-mails.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { enterManagedOrganization } from '../enter-managed-organization.ts';
import { requireGrantable } from '../members/require-grantable.ts';
import { requireOrganizationRight } from '../require-organization-right.ts';
import { invitationInput } from '../schema.ts';
import { selectOpenInvitations } from './invitation-queries.ts';

/**
 * Revokes an invitation: its link stops working, and a message that was not sent yet is cancelled.
 * @throws permission_required, permission_not_grantable; invitation_not_found also for one that was used,
 * revoked or has expired; organization_is_personal, organization_managed_elsewhere
 */
export async function revokeInvitation(
  context: OrganizationContext,
  input: z.input<typeof invitationInput>,
): Promise<void> {
  requireOrganizationRight(context, 'member.invite');
  const { invitation_id } = invitationInput.parse(input);
  const { app } = context;
  await inUnitOfWork(context, async ({ trx, now, audit }) => {
    const { organization, permission } = await enterManagedOrganization(trx, context, 'member.invite');
    const invitation = await selectOpenInvitations(trx, now)
      .where('organization_invitations.id', '=', invitation_id)
      .where('organization_invitations.organization_id', '=', organization.id)
      .executeTakeFirst();
    if (!invitation) throw new AppError('invitation_not_found');
    requireGrantable(permission, invitation.permission);
    const revoked = await trx
      .updateTable('organization_invitations')
      .set({ revoked_at: now })
      .where('id', '=', invitation_id)
      .where('accepted_at', 'is', null)
      .where('revoked_at', 'is', null)
      .executeTakeFirst();
    if (revoked.numUpdatedRows === 0n) throw new AppError('invitation_not_found');
    await cancelMails(trx, app, { resource_type: 'invitation', resource_ids: [invitation_id] });
    await audit({
      action: 'invitation.revoke',
      resource_type: 'invitation',
      resource_id: invitation_id,
      organization_id: organization.id,
      before: { email: invitation.email, permission: invitation.permission },
    });
  });
}
