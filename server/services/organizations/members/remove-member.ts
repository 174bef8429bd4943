import type { z } from 'zod';
import type { OrganizationContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { enterManagedOrganization } from '../enter-managed-organization.ts';
import { requireOrganizationRight } from '../require-organization-right.ts';
import { memberInput } from '../schema.ts';
import { endMembership } from './end-membership.ts';
import { findMember } from './member-queries.ts';
import { requireGrantable } from './require-grantable.ts';

/**
 * Ends a membership: from the next request on, the organization does not exist for that person, and neither
 * do the invitations the person sent. Credentials belong to the organization and stay.
 * @throws permission_required, permission_not_grantable, member_not_found, last_owner,
 * organization_is_personal, organization_managed_elsewhere
 */
export async function removeMember(
  context: OrganizationContext,
  input: z.input<typeof memberInput>,
): Promise<void> {
  requireOrganizationRight(context, 'member.remove');
  const { user_id } = memberInput.parse(input);
  await inUnitOfWork(context, async ({ trx, audit }) => {
    const { organization, permission } = await enterManagedOrganization(trx, context, 'member.remove');
    const member = await findMember(trx, organization.id, user_id);
    if (!member) throw new AppError('member_not_found');
    requireGrantable(permission, member.permission);
    await endMembership(trx, organization.id, member);
    await audit({
      action: 'member.remove',
      resource_type: 'member',
      resource_id: user_id,
      organization_id: organization.id,
      before: { login: member.login, permission: member.permission },
    });
  });
}
