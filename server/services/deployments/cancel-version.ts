import type { z } from 'zod';
import { type OrganizationContext, requireAction } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { dropVersion } from './drop-version.ts';
import { getOpenVersionRow, lockSite } from './queries.ts';
import { versionInput } from './schema.ts';

/**
 * Discards an open version. Its uploaded content is collected later unless another version refers to it.
 * @throws version_sealed; permission_required, out_of_scope, site_not_found, version_not_found
 */
export async function cancelVersion(
  context: OrganizationContext,
  input: z.input<typeof versionInput>,
): Promise<void> {
  requireAction(context, 'deployment.create');
  const { site_id, version_id } = versionInput.parse(input);
  await inUnitOfWork(context, async ({ trx, now, audit }) => {
    const site = await lockSite(trx, context, site_id);
    const version = await getOpenVersionRow(trx, site, version_id);
    const marked = await trx
      .updateTable('site_versions')
      .set({ removed_at: now })
      .where('id', '=', version.id)
      .where('sealed_at', 'is', null)
      .executeTakeFirst();
    if (marked.numUpdatedRows === 0n) throw new AppError('conflict');
    await audit({
      action: 'version.cancel',
      resource_type: 'site',
      resource_id: site.id,
      organization_id: site.organization_id,
      before: { version_id: version.id, number: version.number },
    });
  });
  await dropVersion(context, version_id);
}
