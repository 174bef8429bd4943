import type { Readable } from 'node:stream';
import type { z } from 'zod';
import { type OrganizationContext, requireAction } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { requireSite } from '../sites/require-site.ts';
import { checkPath } from './manifest-rules.ts';
import { openBlobStream } from './open-blob-stream.ts';
import { getVersionRow } from './queries.ts';
import { versionFileInput } from './schema.ts';

/** One file of a version, for download. The caller reads or destroys the stream. */
export interface VersionFileDownload {
  stream: Readable;
  filename: string;
  size: number;
  content_type: string;
  /** Strong: the quoted hash of the content. */
  etag: string;
}

/**
 * Returns the content of one file of a version.
 * @throws not_found for an unknown path or content that has not been sent yet; out_of_scope, site_not_found,
 * version_not_found
 */
export async function getVersionFile(
  context: OrganizationContext,
  input: z.input<typeof versionFileInput>,
): Promise<VersionFileDownload> {
  requireAction(context, 'site.read');
  const { site_id, version_id, path: given } = versionFileInput.parse(input);
  const { app, organization } = context;
  const site = await requireSite(app.db, context, site_id, 'read');
  const version = await getVersionRow(app.db, site, version_id);
  const checked = checkPath(given);
  if (!checked.ok) throw new AppError('not_found');
  const file = await app.db
    .selectFrom('version_files')
    .innerJoin('organization_blobs', 'organization_blobs.sha256', 'version_files.sha256')
    .select([
      'version_files.path',
      'version_files.sha256',
      'version_files.size',
      'version_files.content_type',
    ])
    .where('version_files.version_id', '=', version.id)
    .where('version_files.path', '=', checked.path)
    .where('organization_blobs.organization_id', '=', organization.id)
    .executeTakeFirst();
  const stream = file ? await openBlobStream(app.blobs, file.sha256) : null;
  if (!file || !stream) throw new AppError('not_found');
  return {
    stream,
    filename: file.path.split('/').at(-1) ?? file.path,
    size: file.size,
    content_type: file.content_type,
    etag: `"${file.sha256}"`,
  };
}
