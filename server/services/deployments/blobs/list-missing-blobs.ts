import type { z } from 'zod';
import { type OrganizationContext, requireAction } from '#server/context.ts';
import { readTextCursor, toTextCursor } from '../../shared/pages.ts';
import { requireSite } from '../../sites/require-site.ts';
import { versionFileRows } from '../manifests/version-file-rows.ts';
import { getOpenVersionRow } from '../queries.ts';
import { listMissingBlobsInput, MISSING_PAGE_MAX, type missingBlobsResult } from '../schema.ts';

/**
 * Returns the content of an open version that has not been sent yet, so that an interrupted upload can
 * continue. Many come in pages; a hash that several files share may occur in several of them.
 * @throws permission_required, out_of_scope, site_not_found, version_not_found, version_sealed, invalid_input
 */
export async function listMissingBlobs(
  context: OrganizationContext,
  input: z.input<typeof listMissingBlobsInput>,
): Promise<z.infer<typeof missingBlobsResult>> {
  requireAction(context, 'deployment.create');
  const { site_id, version_id, cursor } = listMissingBlobsInput.parse(input);
  const { app, organization } = context;
  const site = await requireSite(app.db, context, site_id, 'write');
  const version = await getOpenVersionRow(app.db, site, version_id);
  const after = readTextCursor(cursor);
  return app.deployWork.manifests.run(organization.id, async () => {
    const slice = app.slices.begin(organization.id);
    const missing = new Set<string>();
    for await (const rows of versionFileRows(app.db, version, slice, { after })) {
      for (const row of rows) if (!row.is_stored) missing.add(row.sha256);
      const last = rows.at(-1);
      if (last && missing.size >= MISSING_PAGE_MAX) {
        return { missing: [...missing], next_cursor: toTextCursor(last.path) };
      }
    }
    return { missing: [...missing], next_cursor: null };
  });
}
