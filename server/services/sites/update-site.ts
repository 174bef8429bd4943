import type { z } from 'zod';
import { inTransaction } from '#db/transaction.ts';
import { type OrganizationContext, requireAction, requireSiteScope } from '#server/context.ts';
import { recordEdgeChange } from '#server/edge-changes.ts';
import { AppError } from '#server/errors.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { findSite, toSite } from './queries.ts';
import { type Site, updateSiteInput } from './schema.ts';

/**
 * Stores how the site answers unknown paths and returns the site; edges follow within a second. Storing the same again
 * changes and records nothing. @throws permission_required, out_of_scope, site_not_found
 */
export async function updateSite(
  context: OrganizationContext,
  input: z.input<typeof updateSiteInput>,
): Promise<Site> {
  requireAction(context, 'site.update');
  const { site_id, spa_fallback } = updateSiteInput.parse(input);
  requireSiteScope(context, site_id, 'write');
  const { app, organization } = context;
  return inTransaction(app.db, async (trx, afterCommit) => {
    const before = await findSite(trx, organization.id, site_id);
    if (!before) throw new AppError('site_not_found');
    if ((before.spa_fallback === 1) === spa_fallback) return toSite(app.config, before);
    const now = app.clock.now();
    const updated = { spa_fallback: spa_fallback ? 1 : 0, updated_at: now };
    await trx.updateTable('sites').set(updated).where('id', '=', site_id).execute();
    await recordAudit(trx, context, {
      action: 'site.update',
      resource_type: 'site',
      resource_id: site_id,
      organization_id: organization.id,
      before: { spa_fallback: !spa_fallback },
      after: { spa_fallback },
    });
    await recordEdgeChange(trx, afterCommit, app.edgeChanges, { site_id, hostname: null }, now);
    return toSite(app.config, { ...before, ...updated });
  });
}
