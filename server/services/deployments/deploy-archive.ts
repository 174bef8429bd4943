import type { Readable } from 'node:stream';
import type { z } from 'zod';
import { type OrganizationContext, requireAction } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { mapConcurrently } from '#server/map-concurrently.ts';
import { requireSite } from '../sites/require-site.ts';
import { ArchiveContents } from './archive-entries.ts';
import { cancelVersion } from './cancel-version.ts';
import { ContentRoom } from './content-room.ts';
import { createVersion, requireManifest } from './create-version.ts';
import { readTarArchive } from './read-tar-archive.ts';
import { readZipArchive } from './read-zip-archive.ts';
import { registerBlobs } from './register-blobs.ts';
import type { ArchiveType } from './rules.ts';
import { type DeployReport, deployArchiveInput } from './schema.ts';
import { sealVersion } from './seal-version.ts';

const WRITES_AT_ONCE = 48;

/**
 * Deploys an archive in one request and returns the deploy report. Entries are hashed and stored by content, never by name;
 * a single folder around everything is taken off. Until the archive has been read to its end and found good, there is no
 * version, and after a failure nothing is left behind.
 * @throws archive_invalid, archive_entry_refused, unsafe_path, path_collision, manifest_empty, limit_files,
 * limit_file_bytes, limit_version_bytes, limit_body_bytes, limit_stored_bytes and the like, upload_interrupted, storage_full; permission_required,
 * out_of_scope, site_not_found
 */
export async function deployArchive(
  context: OrganizationContext,
  input: z.input<typeof deployArchiveInput>,
  archive: { type: ArchiveType; content: Readable },
): Promise<DeployReport> {
  requireAction(context, 'deployment.create');
  const { site_id, message, source, publish } = deployArchiveInput.parse(input);
  const { app } = context;
  await requireSite(app.db, context, site_id, 'write');
  const limits = app.config.deployLimits;
  const room = await ContentRoom.open(app, context.organization.id);
  const contents = new ArchiveContents(app.blobs, limits, room);
  try {
    await readArchive(context, archive, contents);
    const manifest = requireManifest(contents.manifest(), limits);
    const version = await createVersion(context, site_id, {
      ...manifest,
      message: message ?? null,
      source: source ?? null,
    });
    try {
      await storeMissing(context, contents, version.missing);
      return await sealVersion(context, { site_id, version_id: version.id, publish });
    } catch (error) {
      // What cannot be cancelled now is collected as abandoned tomorrow.
      await cancelVersion(context, { site_id, version_id: version.id }).catch(() => undefined);
      throw error;
    }
  } finally {
    await contents.discard();
  }
}

async function readArchive(
  { app }: OrganizationContext,
  archive: { type: ArchiveType; content: Readable },
  contents: ArchiveContents,
): Promise<void> {
  const limits = app.config.deployLimits;
  if (archive.type !== 'zip') {
    await readTarArchive(archive.content, contents, limits, { isGzipped: archive.type === 'tar.gz' });
    return;
  }
  // The directory of a zip archive stands at its end, so all of it has to be here first.
  const sizeMax = limits.versionBytesMax;
  const spooled = await app.blobs.stage(archive.content, { sizeMax }).catch((error: unknown) => {
    const isTooLarge = error instanceof AppError && error.code === 'limit_file_bytes';
    throw isTooLarge ? new AppError('limit_body_bytes', { limit: sizeMax }) : error;
  });
  try {
    await readZipArchive(spooled, contents, limits);
  } finally {
    await spooled.discard();
  }
}

async function storeMissing(
  { app, organization }: OrganizationContext,
  contents: ArchiveContents,
  missing: readonly string[],
): Promise<void> {
  const staged = missing.map((sha256) => contents.get(sha256)).filter((blob) => blob !== undefined);
  await mapConcurrently(staged, WRITES_AT_ONCE, (blob) => blob.store());
  await app.blobs.settle();
  const gone = await registerBlobs(app, organization.id, staged);
  if (gone.length > 0) throw new AppError('conflict');
}
