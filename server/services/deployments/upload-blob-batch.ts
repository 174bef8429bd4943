import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { Executor } from '#db/client.ts';
import { type OrganizationContext, requireAction } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { findRoomForContent } from '../limits/require-room-for-content.ts';
import { limitReached } from '../limits/require-within-limits.ts';
import { requireSite } from '../sites/require-site.ts';
import { BoundedTasks } from './bounded-tasks.ts';
import { countMissing, findMissingHashes, getOpenVersionRow } from './queries.ts';
import { readTar, type TarEntry } from './read-tar.ts';
import { registerBlobs } from './register-blobs.ts';
import { type uploadResult, versionInput } from './schema.ts';
import { touchVersion } from './touch-version.ts';
import { namingFile } from './upload-blob.ts';

/** Smaller content is taken into memory, so that many files are written and synced side by side. */
const BUFFERED_BYTES_MAX = 1024 * 1024;
const WRITES_AT_ONCE = 48;
const BYTES_AT_ONCE = 32 * 1024 * 1024;
/** What is durable is registered in such portions: an interrupted batch keeps them. */
const REGISTERED_AT_ONCE = 400;

interface ExpectedFile {
  path: string;
  size: number;
}

/**
 * Receives many contents in one request: a tar stream whose entries are named by their SHA-256. Each is verified against
 * the manifest; what arrived before an interruption stays. Returns how many were new and how many are still missing.
 * @throws blob_not_expected, hash_mismatch and size_mismatch naming the file, archive_invalid, archive_entry_refused,
 * upload_interrupted, storage_full, limit_stored_bytes, version_sealed; permission_required, out_of_scope, site_not_found, version_not_found
 */
export async function uploadBlobBatch(
  context: OrganizationContext,
  input: z.input<typeof versionInput>,
  content: Readable,
): Promise<z.infer<typeof uploadResult>> {
  requireAction(context, 'deployment.create');
  const { site_id, version_id } = versionInput.parse(input);
  const { app, organization } = context;
  const site = await requireSite(app.db, context, site_id, 'write');
  const version = await getOpenVersionRow(app.db, site, version_id);
  await touchVersion(app, version);
  const expected = await findExpectedFiles(app.db, version.id);
  const missing = new Set(await findMissingHashes(app.db, organization.id, [...expected.keys()]));

  // What this request may still store, as far as it knows; at the end the transaction decides (register-blobs.ts).
  const { room, limit } = await findRoomForContent(app.db, app, organization.id);
  let roomLeft = room;
  let durable: { sha256: string; size: number }[] = [];
  let received = 0;
  const register = async () => {
    const portion = durable;
    durable = [];
    if (portion.length === 0) return;
    await app.blobs.settle();
    const gone = await registerBlobs(app, organization.id, portion);
    received += portion.length - gone.length;
  };
  const tasks = new BoundedTasks(WRITES_AT_ONCE, BYTES_AT_ONCE);
  try {
    for await (const entry of readTar(content)) {
      const { sha256, path, size } = requireExpected(entry, expected);
      if (!missing.delete(sha256)) {
        await entry.discard();
        continue;
      }
      if (size > roomLeft) throw limitReached('stored_bytes', limit);
      roomLeft -= size;
      const body = size <= BUFFERED_BYTES_MAX ? await entry.buffer() : entry.stream;
      const write = app.blobs
        .put(sha256, 'identity', body, { size, isDeferred: true })
        .catch((error: unknown) => Promise.reject(namingFile(error, path)))
        .then(() => void durable.push({ sha256, size }));
      if (Buffer.isBuffer(body)) await tasks.add(size, write);
      else await write;
      if (durable.length >= REGISTERED_AT_ONCE) await register();
    }
    await tasks.finish();
  } finally {
    await tasks.settle();
    await register();
  }
  return { received, missing_count: await countMissing(app.db, organization.id, version.id) };
}

async function findExpectedFiles(executor: Executor, versionId: string): Promise<Map<string, ExpectedFile>> {
  const rows = await executor
    .selectFrom('version_files')
    .select(['sha256', 'path', 'size'])
    .where('version_id', '=', versionId)
    .execute();
  return new Map(rows.map((row) => [row.sha256, row]));
}

function requireExpected(
  entry: TarEntry,
  expected: ReadonlyMap<string, ExpectedFile>,
): ExpectedFile & { sha256: string } {
  if (entry.type !== 'file') {
    throw new AppError('archive_entry_refused', { path: entry.name, reason: 'it is not a file' });
  }
  const sha256 = entry.name.replace(/^\.\//, '');
  const file = expected.get(sha256);
  if (!file) throw new AppError('blob_not_expected', { sha256: sha256.slice(0, 100) });
  if (entry.size !== file.size) {
    throw new AppError('size_mismatch', { path: file.path, actual: entry.size, expected: file.size });
  }
  return { sha256, ...file };
}
