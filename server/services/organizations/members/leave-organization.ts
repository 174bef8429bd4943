import { type OrganizationContext, requirePerson } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { enterManagedOrganization } from '../enter-managed-organization.ts';
import { endMembership } from './end-membership.ts';
import { findMember } from './member-queries.ts';

/**
 * Ends the signed-in person's own membership. Credentials that the person created belong to the organization
 * and stay.
 * @throws person_required, last_owner, organization_suspended, organization_is_personal,
 * organization_managed_elsewhere
 */
export async function leaveOrganization(context: OrganizationContext): Promise<void> {
  const person = requirePerson(context);
  await inUnitOfWork(context, async ({ trx, audit }) => {
    const { organization } = await enterManagedOrganization(trx, context, 'organization.read');
    if (organization.suspended_at !== null) throw new AppError('organization_suspended');
    const member = await findMember(trx, organization.id, person.userId);
    if (!member) throw new AppError('organization_not_found');
    await endMembership(trx, organization.id, member);
    await audit({
      action: 'member.leave',
      resource_type: 'member',
      resource_id: person.userId,
      organization_id: organization.id,
      before: { login: member.login, permission: member.permission },
    });
  });
}
