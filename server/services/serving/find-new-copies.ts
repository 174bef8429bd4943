import type { App } from '#server/context.ts';
import type { EdgeCopies } from '#server/edge/ports.ts';
import { readProgress, writeProgress } from '../deployments/encodings/encoding-progress.ts';

/** Rows read in one statement. */
const ROWS_AT_ONCE = 1_000;

/**
 * Returns encoded copies of a version's files that were created since the progress `after`, a portion at a
 * time; null when the version no longer exists. What is returned again has not changed.
 */
export async function findNewCopies(app: App, versionId: string, after: string): Promise<EdgeCopies | null> {
  const version = await app.db
    .selectFrom('site_versions')
    .select(['organization_id', 'encoded_at', 'encoded_through'])
    .where('id', '=', versionId)
    .executeTakeFirst();
  if (!version) return null;
  const isComplete = version.encoded_at !== null;
  const through = readProgress(version.encoded_through);
  // The second step covers every file, so an edge that begins after the last copy was made needs no other.
  const from = isComplete && after === '' ? { step: 2 as const, path: '' } : readProgress(after);
  const isBounded = !isComplete && from.step === through.step;
  const rows = await app.db
    .selectFrom('version_files')
    .innerJoin('organization_blobs', (join) =>
      join
        .onRef('organization_blobs.sha256', '=', 'version_files.sha256')
        .on('organization_blobs.organization_id', '=', version.organization_id),
    )
    .select(['version_files.path', 'organization_blobs.brotli_size', 'organization_blobs.gzip_size'])
    .where('version_files.version_id', '=', versionId)
    .where('version_files.path', '>', from.path)
    .$if(isBounded, (query) => query.where('version_files.path', '<=', through.path))
    .orderBy('version_files.path')
    .limit(ROWS_AT_ONCE)
    .execute();
  const last = rows.length < ROWS_AT_ONCE ? undefined : rows.at(-1);
  const hasNextStep = from.step === 1 && (isComplete || through.step === 2);
  const copies = rows
    .filter(({ brotli_size, gzip_size }) => brotli_size !== null || gzip_size !== null)
    .map(({ path, brotli_size, gzip_size }) => ({ path, brotliSize: brotli_size, gzipSize: gzip_size }));
  if (last) return { copies, after: writeProgress({ ...from, path: last.path }), isAll: false };
  if (hasNextStep) return { copies, after: writeProgress({ step: 2, path: '' }), isAll: false };
  return { copies, after: isComplete ? null : version.encoded_through, isAll: true };
}
