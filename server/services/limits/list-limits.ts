import type { OrganizationContext } from '#server/context.ts';
import { requireOrganizationRight } from '../organizations/require-organization-right.ts';
import { listLimitUses } from './limit-queries.ts';
import type { LimitUse } from './schema.ts';

/** Returns what the organization has of everything that is limited, and what it may have. @throws person_required */
export async function listLimits(context: OrganizationContext): Promise<LimitUse[]> {
  requireOrganizationRight(context, 'organization.read');
  return listLimitUses(context.app.db, context.app, context.organization.id);
}
