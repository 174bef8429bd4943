import type { Selectable } from 'kysely';
import type { Executor } from '#db/client.ts';
import type { SitesTable } from '#db/schema/sites.ts';
import { type OrganizationContext, requireSiteScope } from '#server/context.ts';
import { AppError } from '#server/errors.ts';

/**
 * Returns the site row when it exists in the organization, is not deleted and the actor's scopes include it.
 * The scope is checked first, so that a credential learns nothing about sites outside its scopes.
 * @throws out_of_scope, site_not_found
 */
export async function requireSite(
  executor: Executor,
  context: OrganizationContext,
  siteId: string,
  permission: 'read' | 'write',
): Promise<Selectable<SitesTable>> {
  requireSiteScope(context, siteId, permission);
  const site = await executor
    .selectFrom('sites')
    .selectAll()
    .where('id', '=', siteId)
    .where('organization_id', '=', context.organization.id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (!site) throw new AppError('site_not_found');
  return site;
}
