import type { z } from 'zod';
import { type OrganizationContext, requireAction } from '#server/context.ts';
import { requireSite } from '../../sites/require-site.ts';
import { getOpenVersionRow } from '../queries.ts';
import { addVersionFilesInput, type addVersionFilesResult } from '../schema.ts';
import { addManifestFiles } from './add-manifest-files.ts';
import { manifestEntries, requireManifest } from './read-manifest.ts';

/**
 * Adds a part of the manifest to an open version and returns which of its content has to be sent. Sending a
 * part again is fine. Whether paths of different parts collide is checked when the version is sealed.
 * @throws file_differs, version_sealed, manifest_empty, unsafe_path, path_repeated, path_collision, path_under_file,
 * limit_files, limit_file_bytes, limit_version_bytes, organization_busy; permission_required, out_of_scope,
 * site_not_found, version_not_found
 */
export async function addVersionFiles(
  context: OrganizationContext,
  input: z.input<typeof addVersionFilesInput>,
): Promise<z.infer<typeof addVersionFilesResult>> {
  requireAction(context, 'deployment.create');
  const { site_id, version_id, files } = addVersionFilesInput.parse(input);
  const { app } = context;
  const site = await requireSite(app.db, context, site_id, 'write');
  await getOpenVersionRow(app.db, site, version_id);
  const part = await requireManifest(context, manifestEntries(files));
  const missing = await addManifestFiles(context, version_id, part.files, ({ audit }) =>
    audit({
      action: 'version.files',
      resource_type: 'site',
      resource_id: site_id,
      organization_id: context.organization.id,
      after: { version_id, file_count: part.files.length, total_bytes: part.totalBytes },
    }),
  );
  const { file_count, total_bytes } = await getOpenVersionRow(app.db, site, version_id);
  return { file_count, total_bytes, missing };
}
