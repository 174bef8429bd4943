import type { z } from 'zod';
import { type OrganizationContext, requireAction, requireSiteScope } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { endLifetime } from '../usage/keep-lifetime.ts';
import { platformHost } from './platform-host.ts';
import { findSite, lockSiteRow } from './queries.ts';
import { isInUse } from './rules.ts';
import { siteInput } from './schema.ts';

/**
 * Deletes a site: within a second it is no longer served and is gone for everyone, but it can be restored for
 * seven days, during which its name stays taken.
 * @throws permission_required, site_not_found, site_has_endpoints
 */
export async function deleteSite(
  context: OrganizationContext,
  input: z.input<typeof siteInput>,
): Promise<void> {
  requireAction(context, 'site.delete');
  const { site_id } = siteInput.parse(input);
  requireSiteScope(context, site_id, 'write');
  const { app, organization } = context;
  await inUnitOfWork(context, async ({ trx, now, audit, tellEdges }) => {
    // An endpoint that is being created for this site waits, or is seen here.
    await lockSiteRow(trx, organization.id, site_id);
    const site = await findSite(trx, organization.id, site_id);
    if (!site) throw new AppError('site_not_found');
    if (isInUse(site)) throw new AppError('site_has_endpoints');
    await trx
      .updateTable('sites')
      .set({ deleted_at: now, updated_at: now })
      .where('id', '=', site_id)
      .execute();
    await endLifetime(trx, site_id, now);
    await audit({
      action: 'site.delete',
      resource_type: 'site',
      resource_id: site_id,
      organization_id: organization.id,
      before: { name: site.name, subdomain: site.subdomain },
    });
    tellEdges({ site_id, hostname: platformHost(app.config, site.subdomain) });
  });
}
