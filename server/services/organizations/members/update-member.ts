import type { z } from 'zod';
import type { OrganizationContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { enterManagedOrganization } from '../enter-managed-organization.ts';
import { requireOrganizationRight } from '../require-organization-right.ts';
import { type Member, updateMemberInput } from '../schema.ts';
import { findMember, toMember } from './member-queries.ts';
import { requireGrantable } from './require-grantable.ts';
import { requireOtherOwner } from './require-other-owner.ts';

/**
 * Changes a member's permission, effective from the member's next request, and returns the member. An
 * administrator can neither appoint owners nor change them. Setting the same again changes and records
 * nothing.
 * @throws permission_required, permission_not_grantable, member_not_found, last_owner,
 * organization_is_personal, organization_managed_elsewhere
 */
export async function updateMember(
  context: OrganizationContext,
  input: z.input<typeof updateMemberInput>,
): Promise<Member> {
  requireOrganizationRight(context, 'member.update');
  const { user_id, permission: given } = updateMemberInput.parse(input);
  return inUnitOfWork(context, async ({ trx, audit }) => {
    const { organization, permission } = await enterManagedOrganization(trx, context, 'member.update');
    const member = await findMember(trx, organization.id, user_id);
    if (!member) throw new AppError('member_not_found');
    requireGrantable(permission, member.permission);
    requireGrantable(permission, given);
    const changed = { ...member, permission: given };
    if (member.permission === given) return toMember(context, changed);
    if (member.permission === 'owner') await requireOtherOwner(trx, organization.id, user_id);
    await trx
      .updateTable('memberships')
      .set({ permission: given })
      .where('organization_id', '=', organization.id)
      .where('user_id', '=', user_id)
      .execute();
    await audit({
      action: 'member.update',
      resource_type: 'member',
      resource_id: user_id,
      organization_id: organization.id,
      before: { login: member.login, permission: member.permission },
      after: { login: member.login, permission: given },
    });
    return toMember(context, changed);
  });
}
