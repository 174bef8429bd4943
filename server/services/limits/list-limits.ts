import type { OrganizationContext } from '#server/context.ts';
import { requireOrganizationRight } from '../organizations/require-organization-right.ts';
import { listLimitUses } from './limit-queries.ts';
import type { LimitUse } from './schema.ts';

/** Returns the organization's use of everything that is limited, with the limits. @throws person_required */
export async function listLimits(context: OrganizationContext): Promise<LimitUse[]> {
  requireOrganizationRight(context, 'organization.read');
  return listLimitUses(context.app.db, context.app, context.organization.id);
}
