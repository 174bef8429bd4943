import type { z } from 'zod';
import { type OrganizationContext, requireAction, requireSiteScope } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { resumeLifetime } from '../usage/keep-lifetime.ts';
import { platformHost } from './platform-host.ts';
import { findSite, lockSiteRow, toSite } from './queries.ts';
import { isRestorable } from './rules.ts';
import { type Site, siteInput } from './schema.ts';

/**
 * Undoes the deletion of a site and returns it: the same address serves the same version again. A site that
 * is not deleted is returned as it is.
 * @throws permission_required; site_not_found also after seven days
 */
export async function restoreSite(
  context: OrganizationContext,
  input: z.input<typeof siteInput>,
): Promise<Site> {
  requireAction(context, 'site.delete');
  const { site_id } = siteInput.parse(input);
  requireSiteScope(context, site_id, 'write');
  const { app, organization } = context;
  return inUnitOfWork(context, async ({ trx, now, audit, tellEdges }) => {
    await lockSiteRow(trx, organization.id, site_id);
    const deleted = await trx
      .selectFrom('sites')
      .select(['subdomain', 'deleted_at'])
      .where('id', '=', site_id)
      .where('organization_id', '=', organization.id)
      .executeTakeFirst();
    if (!deleted) throw new AppError('site_not_found');
    if (deleted.deleted_at !== null) {
      if (!isRestorable(deleted.deleted_at, now)) throw new AppError('site_not_found');
      await trx
        .updateTable('sites')
        .set({ deleted_at: null, updated_at: now })
        .where('id', '=', site_id)
        .execute();
      await resumeLifetime(trx, site_id);
      await audit({
        action: 'site.restore',
        resource_type: 'site',
        resource_id: site_id,
        organization_id: organization.id,
        after: { subdomain: deleted.subdomain },
      });
      tellEdges({ site_id, hostname: platformHost(app.config, deleted.subdomain) });
    }
    const site = await findSite(trx, organization.id, site_id);
    if (!site) throw new AppError('site_not_found');
    return toSite(app.config, site);
  });
}
