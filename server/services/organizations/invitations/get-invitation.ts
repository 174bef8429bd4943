import type { z } from 'zod';
import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { toInstant } from '../../shared/schema.ts';
import { findMembership, findOrganization } from '../queries.ts';
import { type InvitationPreview, invitationTokenInput } from '../schema.ts';
import { countInvitationLookup, findInviterName, requireOpenInvitation } from './invitation-queries.ts';

/**
 * Returns the content of an invitation for anyone with its link, signed in or not.
 * @throws too_many_requests; invitation_not_found for one that is unknown, used, revoked or has expired,
 * without distinction; organization_suspended
 */
export async function getInvitation(
  context: RequestContext,
  input: z.input<typeof invitationTokenInput>,
): Promise<InvitationPreview> {
  const { token } = invitationTokenInput.parse(input);
  const { actor, app } = context;
  await countInvitationLookup(context);
  const invitation = await requireOpenInvitation(app.db, app.clock.now(), token);
  const organization = await findOrganization(app.db, invitation.organization_id);
  if (!organization) throw new AppError('invitation_not_found');
  if (organization.suspended_at !== null) throw new AppError('organization_suspended');
  const { name, handle, description, avatar_url } = organization;
  const membership =
    actor.kind === 'person' ? await findMembership(app.db, actor.userId, organization.id) : null;
  return {
    organization: { name, handle, description, avatar_url },
    permission: invitation.permission,
    invited_by: await findInviterName(app.db, invitation),
    email: invitation.email,
    expires_at: toInstant(invitation.expires_at),
    organization_id: membership ? organization.id : null,
  };
}
