import type { z } from 'zod';
import { isUniqueViolation } from '#db/unique-violation.ts';
import { type RequestContext, requirePerson } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { requireWithinLimits } from '../../limits/require-within-limits.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { findMembership, findOrganization, toOrganization } from '../queries.ts';
import { requireLiveOrganization } from '../require-live-organization.ts';
import { invitationTokenInput, type Membership } from '../schema.ts';
import { countInvitationLookup, requireOpenInvitation } from './invitation-queries.ts';

/**
 * Makes the signed-in person a member by an invitation, which is used up: of two people who click at the same
 * time, one joins. A person who is already a member does not use it up.
 * @throws person_required, too_many_requests, already_member, organization_suspended, limit_members;
 * invitation_not_found for one that is unknown, used, revoked or has expired, without distinction
 */
export async function acceptInvitation(
  context: RequestContext,
  input: z.input<typeof invitationTokenInput>,
): Promise<Membership> {
  const person = requirePerson(context);
  const { token } = invitationTokenInput.parse(input);
  const { app } = context;
  await countInvitationLookup(context);
  try {
    return await inUnitOfWork(context, async ({ trx, now, audit }) => {
      const { organization_id } = await requireOpenInvitation(trx, now, token);
      await requireLiveOrganization(trx, organization_id);
      // Checked again now that the members are locked: the inviter may have been removed a moment ago.
      const { id, permission } = await requireOpenInvitation(trx, now, token);
      const organization = await findOrganization(trx, organization_id);
      if (!organization) throw new AppError('invitation_not_found');
      if (organization.suspended_at !== null) throw new AppError('organization_suspended');
      if (await findMembership(trx, person.userId, organization_id)) throw new AppError('already_member');
      const used = await trx
        .updateTable('organization_invitations')
        .set({ accepted_at: now, accepted_by: person.userId })
        .where('id', '=', id)
        .where('accepted_at', 'is', null)
        .where('revoked_at', 'is', null)
        .executeTakeFirst();
      if (used.numUpdatedRows === 0n) throw new AppError('invitation_not_found');
      await trx
        .insertInto('memberships')
        .values({ organization_id, user_id: person.userId, permission, created_at: now })
        .execute();
      await requireWithinLimits(trx, app, organization_id, ['members']);
      await audit({
        action: 'invitation.accept',
        resource_type: 'invitation',
        resource_id: id,
        organization_id,
        after: { user_id: person.userId, login: person.login, permission },
      });
      return { organization: toOrganization(app.config, organization), permission };
    });
  } catch (error) {
    // By another invitation at the same time; this one stays as it was.
    if (isUniqueViolation(error)) throw new AppError('already_member');
    throw error;
  }
}
