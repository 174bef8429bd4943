import type { z } from 'zod';
import { type OrganizationContext, requireAction, requirePublishRight } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { queueWebhooks } from '../webhooks/queue-webhooks.ts';
import { describePublished } from './describe-published.ts';
import { pointSiteAtVersion } from './point-site-at-version.ts';
import { getVersionRow, lockSite, toVersion } from './queries.ts';
import { rollbackRefusal } from './rules.ts';
import { rollbackInput, type rollbackResult } from './schema.ts';

/**
 * Makes an earlier version current and marks every newer sealed version as reverted. Returns the version, now
 * current, and how many were reverted; a later deploy continues from there.
 * @throws version_is_current, version_reverted, version_suspended, version_not_sealed; permission_required,
 * out_of_scope, site_not_found, version_not_found
 */
export async function rollbackSite(
  context: OrganizationContext,
  input: z.input<typeof rollbackInput>,
): Promise<z.infer<typeof rollbackResult>> {
  requireAction(context, 'deployment.rollback');
  requirePublishRight(context);
  const { site_id, version_id } = rollbackInput.parse(input);
  const { app, organization } = context;
  return inUnitOfWork(context, async (unit) => {
    const { trx, now, audit } = unit;
    const site = await lockSite(trx, context, site_id);
    const target = await getVersionRow(trx, site, version_id);
    const refusal = rollbackRefusal({ ...target, is_current: site.current_version_id === target.id });
    if (refusal !== null) throw new AppError(refusal);
    const reverted = await trx
      .updateTable('site_versions')
      .set({ reverted_at: now })
      .where('site_id', '=', site.id)
      .where('number', '>', target.number)
      .where('sealed_at', 'is not', null)
      .where('reverted_at', 'is', null)
      .executeTakeFirst();
    const revertedCount = Number(reverted.numUpdatedRows);
    await audit({
      action: 'site.rollback',
      resource_type: 'site',
      resource_id: site.id,
      organization_id: organization.id,
      before: { version_id: site.current_version_id },
      after: { version_id: target.id, number: target.number, reverted: revertedCount },
    });
    await queueWebhooks(trx, app, organization.id, 'deploy.rolled_back', {
      ...describePublished(context, site, target),
      reverted: revertedCount,
    });
    await pointSiteAtVersion(unit, site, target.id);
    return {
      version: toVersion(app.config, { ...site, current_version_id: target.id }, target),
      reverted: revertedCount,
    };
  });
}
