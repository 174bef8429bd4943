import type { OrganizationContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { findOrganization, toOrganization } from './queries.ts';
import { requireOrganizationRight } from './require-organization-right.ts';
import type { Organization } from './schema.ts';

/** Returns the organization of the request. @throws permission_required, person_required */
export async function getOrganization(context: OrganizationContext): Promise<Organization> {
  requireOrganizationRight(context, 'organization.read');
  const organization = await findOrganization(context.app.db, context.organization.id);
  if (!organization) throw new AppError('organization_not_found');
  return toOrganization(context.app.config, organization);
}
