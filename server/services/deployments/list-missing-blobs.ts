import type { z } from 'zod';
import { type OrganizationContext, requireAction } from '#server/context.ts';
import { requireSite } from '../sites/require-site.ts';
import { getOpenVersionRow, selectMissingFiles } from './queries.ts';
import { type missingBlobsResult, versionInput } from './schema.ts';

/**
 * Returns the content of an open version that has not been sent yet: what an interrupted upload goes on with.
 * @throws permission_required, out_of_scope, site_not_found, version_not_found, version_sealed
 */
export async function listMissingBlobs(
  context: OrganizationContext,
  input: z.input<typeof versionInput>,
): Promise<z.infer<typeof missingBlobsResult>> {
  requireAction(context, 'deployment.create');
  const { site_id, version_id } = versionInput.parse(input);
  const { app, organization } = context;
  const site = await requireSite(app.db, context, site_id, 'write');
  const version = await getOpenVersionRow(app.db, site, version_id);
  const rows = await selectMissingFiles(app.db, organization.id, version.id)
    .select('sha256')
    .distinct()
    .orderBy('sha256')
    .execute();
  return { missing: rows.map((row) => row.sha256) };
}
