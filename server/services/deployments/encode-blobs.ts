import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { inTransaction } from '#db/transaction.ts';
import type { App } from '#server/context.ts';
import { mapConcurrently } from '#server/map-concurrently.ts';
import type { BlobEncoding } from '#server/store/blob-store.ts';
import { ENCODED_BYTES_MIN, isCompressible } from './rules.ts';

/** Larger files are served as they are: they are held in memory while they are encoded. */
const ENCODED_BYTES_MAX = 32 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;
const PACKED_RATIO = 0.97;
const MIB = 1024 * 1024;

/**
 * How hard to compress, by how much there is to compress at once: a deploy should not wait longer than about a second on
 * two cores (20 MB of JavaScript: brotli 9 takes 4.4 s, 5 takes 0.9 s, 4 takes 0.6 s; gzip 6 takes 0.45 s, 4 takes 0.33 s).
 */
const EFFORTS = [
  { bytesMax: 0.5 * MIB, brotli: 11, gzip: 9 },
  { bytesMax: 3 * MIB, brotli: 9, gzip: 9 },
  { bytesMax: 12 * MIB, brotli: 5, gzip: 6 },
  { bytesMax: 64 * MIB, brotli: 4, gzip: 4 },
  { bytesMax: Number.POSITIVE_INFINITY, brotli: 3, gzip: 1 },
] as const;

interface EncodedBlob {
  sha256: string;
  brotli_size: number | null;
  gzip_size: number | null;
}

/**
 * Makes the brotli and gzip forms of a version's compressible content and keeps each only where it is smaller. They are kept
 * once for the whole installation. Content that is new to the organization is compressed all the same: that another has
 * sent it before must not show in the time that a seal takes. Compression runs on the thread pool. What is interrupted is
 * made by the next seal.
 */
export async function encodeBlobs(
  app: App,
  version: { id: string; organization_id: string; created_at: number },
): Promise<void> {
  const rows = await app.db
    .selectFrom('version_files')
    .innerJoin('blobs', 'blobs.sha256', 'version_files.sha256')
    .innerJoin('organization_blobs', 'organization_blobs.sha256', 'version_files.sha256')
    .select(['blobs.sha256', 'blobs.size', 'blobs.encoded_at', 'version_files.content_type'])
    .distinct()
    .where('version_files.version_id', '=', version.id)
    .where('organization_blobs.organization_id', '=', version.organization_id)
    .where(({ or, eb }) =>
      or([eb('blobs.encoded_at', 'is', null), eb('organization_blobs.created_at', '>=', version.created_at)]),
    )
    .where('blobs.size', '>=', ENCODED_BYTES_MIN)
    .where('blobs.size', '<=', ENCODED_BYTES_MAX)
    .execute();
  const unique = new Map(
    rows.filter((row) => isCompressible(row.content_type)).map((row) => [row.sha256, row]),
  );
  const blobs = [...unique.values()].sort((a, b) => b.size - a.size);
  if (blobs.length === 0) return;
  const totalBytes = blobs.reduce((sum, blob) => sum + blob.size, 0);
  const effort = EFFORTS.find((candidate) => totalBytes <= candidate.bytesMax) ?? EFFORTS[4];
  // More than there are cores: while some wait for the disk, others compress. Large ones go first and fill the memory alone.
  const atOnce = blobs[0] && blobs[0].size > MIB ? 1 : 3;
  const encoded = await mapConcurrently(blobs, availableParallelism() + atOnce, (blob) =>
    encodeBlob(app, blob, effort),
  );
  await keepEncodings(
    app,
    encoded.filter((blob) => blob !== null),
  );
}

/**
 * Makes the encoded copies of one blob again if one of them is not in the store as its row says. Returns whether it did.
 * Rows are right again either way.
 */
export async function encodeBlobAgain(app: App, sha256: string): Promise<boolean> {
  const row = await app.db
    .selectFrom('blobs')
    .select(['size', 'brotli_size', 'gzip_size'])
    .where('sha256', '=', sha256)
    .where('condemned_at', 'is', null)
    .executeTakeFirst();
  if (!row || row.size > ENCODED_BYTES_MAX) return false;
  const isWhole =
    (await isStored(app, sha256, 'br', row.brotli_size)) &&
    (await isStored(app, sha256, 'gzip', row.gzip_size));
  if (isWhole) return false;
  const encoded = await encodeBlob(app, { sha256, size: row.size, encoded_at: null }, EFFORTS[0]);
  if (encoded === null) return false;
  await keepEncodings(app, [encoded]);
  return true;
}

async function isStored(
  app: App,
  sha256: string,
  encoding: BlobEncoding,
  size: number | null,
): Promise<boolean> {
  if (size === null) return true;
  const handle = await app.blobs.open(sha256, encoding);
  await handle?.close();
  return handle?.size === size;
}

/** The rows say what is kept only after it would survive a power cut. */
async function keepEncodings(app: App, encoded: readonly EncodedBlob[]): Promise<void> {
  await app.blobs.settle();
  await recordEncodings(app, encoded);
}

async function encodeBlob(
  app: App,
  { sha256, size, encoded_at }: { sha256: string; size: number; encoded_at: number | null },
  effort: { brotli: number; gzip: number },
): Promise<EncodedBlob | null> {
  const content = await readWhole(app, sha256, size);
  if (content === null) return null;
  const gzipped = await promisify(gzip)(content, { chunkSize: CHUNK_BYTES, level: effort.gzip });
  // What gzip cannot pack, brotli cannot either, and its attempt would be the dearer one.
  const isPacked = gzipped.byteLength > size * PACKED_RATIO;
  const brotli = isPacked
    ? content
    : await promisify(brotliCompress)(content, {
        chunkSize: CHUNK_BYTES,
        params: {
          [constants.BROTLI_PARAM_QUALITY]: effort.brotli,
          [constants.BROTLI_PARAM_SIZE_HINT]: size,
        },
      });
  // Edges rely on the sizes of what is there: it is never replaced.
  if (encoded_at !== null) return null;
  const keep = async (encoding: BlobEncoding, bytes: Buffer): Promise<number | null> => {
    if (bytes.byteLength >= size) return null;
    await app.blobs.put(sha256, encoding, bytes, { size: bytes.byteLength, isDeferred: true });
    return bytes.byteLength;
  };
  const [brotli_size, gzip_size] = await Promise.all([keep('br', brotli), keep('gzip', gzipped)]);
  return { sha256, brotli_size, gzip_size };
}

async function readWhole(app: App, sha256: string, size: number): Promise<Buffer | null> {
  const handle = await app.blobs.open(sha256, 'identity');
  if (!handle) return null;
  try {
    const content = Buffer.allocUnsafe(size);
    let filled = 0;
    while (filled < size) {
      const count = await handle.read(content, filled, size - filled, filled);
      if (count === 0) return null;
      filled += count;
    }
    return content;
  } finally {
    await handle.close();
  }
}

async function recordEncodings(app: App, encoded: readonly EncodedBlob[]): Promise<void> {
  const now = app.clock.now();
  const ordered = [...encoded].sort((a, b) => (a.sha256 < b.sha256 ? -1 : 1));
  await inTransaction(app.db, async (trx) => {
    for (const { sha256, brotli_size, gzip_size } of ordered) {
      await trx
        .updateTable('blobs')
        .set({ brotli_size, gzip_size, encoded_at: now })
        .where('sha256', '=', sha256)
        .where('condemned_at', 'is', null)
        .execute();
    }
  });
}
