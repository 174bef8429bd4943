import { type RequestContext, requirePerson } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { findMembership, listMemberships, toOrganization } from './queries.ts';

/**
 * Returns the current organization of the session: the stored one while the person is still a member,
 * otherwise the personal workspace.
 * @throws organization_not_found when the person belongs to none
 */
export async function getOrganizationContext(context: RequestContext) {
  const person = requirePerson(context);
  const stored = person.organizationId
    ? await findMembership(context.app.db, person.userId, person.organizationId)
    : null;
  const membership = stored ?? (await listMemberships(context.app.db, person.userId))[0];
  if (!membership) throw new AppError('organization_not_found');
  const organization = toOrganization(context.app.config, membership.organization);
  return { organization_id: organization.id, organization };
}
