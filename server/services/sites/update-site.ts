import type { z } from 'zod';
import { type OrganizationContext, requireAction, requireSiteScope } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { findSite, lockSiteRow, type SiteRow, toSite } from './queries.ts';
import { type Site, updateSiteInput } from './schema.ts';

/**
 * Changes how the site answers unknown paths and how many old versions it keeps, and returns the site; edges
 * follow within a second, and versions that need not be kept any more are removed in the next run of the job.
 * Absent fields do not change. Storing the same again changes and records nothing.
 * @throws permission_required, out_of_scope, site_not_found
 */
export async function updateSite(
  context: OrganizationContext,
  input: z.input<typeof updateSiteInput>,
): Promise<Site> {
  requireAction(context, 'site.update');
  const { site_id, ...wanted } = updateSiteInput.parse(input);
  requireSiteScope(context, site_id, 'write');
  const { app, organization } = context;
  return inUnitOfWork(context, async ({ trx, now, audit, tellEdges }) => {
    await lockSiteRow(trx, organization.id, site_id);
    const row = await findSite(trx, organization.id, site_id);
    if (!row) throw new AppError('site_not_found');
    const before = settingsOf(row);
    const after = { ...before, ...wanted };
    const changed = SETTINGS.filter((name) => before[name] !== after[name]);
    if (changed.length === 0) return toSite(app.config, row);
    const updated = { ...after, spa_fallback: after.spa_fallback ? 1 : 0, updated_at: now };
    await trx.updateTable('sites').set(updated).where('id', '=', site_id).execute();
    await audit({
      action: 'site.update',
      resource_type: 'site',
      resource_id: site_id,
      organization_id: organization.id,
      before: Object.fromEntries(changed.map((name) => [name, before[name]])),
      after: Object.fromEntries(changed.map((name) => [name, after[name]])),
    });
    tellEdges({ site_id, hostname: null });
    return toSite(app.config, { ...row, ...updated });
  });
}

const SETTINGS = ['spa_fallback', 'keep_versions', 'keep_days'] as const;

function settingsOf({ spa_fallback, keep_versions, keep_days }: SiteRow) {
  return { spa_fallback: spa_fallback === 1, keep_versions, keep_days };
}
