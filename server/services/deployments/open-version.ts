import type { z } from 'zod';
import { type OrganizationContext, requireAction } from '#server/context.ts';
import { requireSite } from '../sites/require-site.ts';
import { createVersion } from './create-version.ts';
import { manifestEntries, requireManifest } from './manifests/read-manifest.ts';
import { openVersionInput, type openVersionResult } from './schema.ts';

/**
 * Opens a version from its manifest, or from the first part of it, and returns which content has to be sent:
 * only what this organization has never sent, whatever others store. Without files it opens empty;
 * `addVersionFiles` adds the rest.
 * @throws permission_required, out_of_scope, site_not_found, manifest_empty, unsafe_path, path_repeated, path_collision,
 * path_under_file, limit_files, limit_file_bytes, limit_version_bytes, organization_busy; limit_versions,
 * limit_open_versions, limit_stored_files, limit_stored_bytes
 */
export async function openVersion(
  context: OrganizationContext,
  input: z.input<typeof openVersionInput>,
): Promise<z.infer<typeof openVersionResult>> {
  requireAction(context, 'deployment.create');
  const { site_id, files, message, source } = openVersionInput.parse(input);
  const { config, db } = context.app;
  await requireSite(db, context, site_id, 'write');
  const manifest =
    files === undefined
      ? { files: [], totalBytes: 0 }
      : await requireManifest(context, manifestEntries(files));
  const version = await createVersion(context, site_id, {
    ...manifest,
    message: message ?? null,
    source: source ?? null,
  });
  return { ...version, upload_url: uploadUrl(config.publicUrl, site_id, version.id) };
}

function uploadUrl(publicUrl: string, siteId: string, versionId: string): string {
  return `${publicUrl}/api/v1/sites/${siteId}/versions/${versionId}/blobs`;
}
