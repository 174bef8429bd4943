import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { Executor } from '#db/client.ts';
import { type OrganizationContext, requireAction } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { findRoomForContent, takeRoom } from '../../limits/require-room-for-content.ts';
import { requireSite } from '../../sites/require-site.ts';
import { findMissingHashes, getOpenVersionRow } from '../queries.ts';
import { uploadBlobInput, type uploadBlobResult } from '../schema.ts';
import { touchVersion } from '../touch-version.ts';
import { announceBlobs, registerBlobs } from './register-blobs.ts';

/**
 * Receives the content of one hash in the version's manifest; it is durable when this returns. Sending it
 * again is fine, and content that is already there is read and discarded.
 * @throws version_sealed, blob_not_expected, hash_mismatch and size_mismatch naming the file, storage_full,
 * upload_interrupted, limit_stored_bytes, organization_busy; permission_required, out_of_scope, site_not_found,
 * version_not_found
 */
export async function uploadBlob(
  context: OrganizationContext,
  input: z.input<typeof uploadBlobInput>,
  content: Readable,
): Promise<z.infer<typeof uploadBlobResult>> {
  requireAction(context, 'deployment.create');
  const { site_id, version_id, sha256 } = uploadBlobInput.parse(input);
  const { app, organization } = context;
  const site = await requireSite(app.db, context, site_id, 'write');
  const version = await getOpenVersionRow(app.db, site, version_id);
  const file = await getFileOfHash(app.db, version.id, sha256);
  await touchVersion(app, version);
  const missing = await findMissingHashes(app.db, organization.id, [sha256]);
  if (missing.length === 0) {
    for await (const _ of content) {
      // Read to the end: the sender does not read a response before.
    }
    return { sha256, size: file.size };
  }
  const blob = { sha256, size: file.size };
  const room = await findRoomForContent(app.db, app, organization.id);
  const end = takeRoom(app, organization.id, blob, room);
  try {
    if ((await announceBlobs(app, organization.id, [blob])).length === 0)
      throw new AppError('upload_interrupted');
    await app.blobs
      .put(sha256, 'identity', content, { size: file.size })
      .catch((error: unknown) => Promise.reject(namingFile(error, file.path)));
    const gone = await registerBlobs(app, organization.id, [blob]);
    if (gone.length > 0) throw new AppError('upload_interrupted');
  } finally {
    end();
  }
  return blob;
}

async function getFileOfHash(
  executor: Executor,
  versionId: string,
  sha256: string,
): Promise<{ path: string; size: number }> {
  const file = await executor
    .selectFrom('version_files')
    .select(['path', 'size'])
    .where('version_id', '=', versionId)
    .where('sha256', '=', sha256)
    .limit(1)
    .executeTakeFirst();
  if (!file) throw new AppError('blob_not_expected', { sha256 });
  return file;
}

/** The store names content by its hash; people name it by its path. */
export function namingFile(error: unknown, path: string): unknown {
  if (!(error instanceof AppError) || !('path' in error.params)) return error;
  return new AppError(error.code, { ...error.params, path }, [], { cause: error });
}
