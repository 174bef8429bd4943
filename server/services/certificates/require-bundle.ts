import type { Executor } from '#db/client.ts';
import { type OrganizationContext, requireSiteScope } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { selectBundles } from './find-bundles.ts';
import type { BundleRow } from './to-bundle.ts';

/**
 * Returns the row of a bundle of the organization. To a credential, a bundle whose endpoint has no site does
 * not exist.
 * @throws bundle_not_found, out_of_scope
 */
export async function requireBundle(
  executor: Executor,
  context: OrganizationContext,
  bundleId: string,
  permission: 'read' | 'write',
): Promise<BundleRow> {
  const row = await selectBundles(executor)
    .where('certificate_bundles.id', '=', bundleId)
    .where('certificate_bundles.organization_id', '=', context.organization.id)
    .executeTakeFirst();
  if (!row) throw new AppError('bundle_not_found');
  if (context.actor.kind === 'credential') {
    const endpoint = await executor
      .selectFrom('cdn_endpoints')
      .select('site_id')
      .where('id', '=', row.endpoint_id)
      .executeTakeFirst();
    if (!endpoint?.site_id) throw new AppError('bundle_not_found');
    requireSiteScope(context, endpoint.site_id, permission);
  }
  return row;
}
