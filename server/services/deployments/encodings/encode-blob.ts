import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { App } from '#server/context.ts';

/** Larger files are served as they are, because encoding holds them in memory. */
export const ENCODED_BYTES_MAX = 32 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;
const PACKED_RATIO = 0.97;
const MIB = 1024 * 1024;

/**
 * The compression level, by size alone: encoding the same content always gives the same bytes, so that
 * nothing reveals who did it first. No blob keeps a thread for much longer than a second. For JavaScript,
 * brotli 7 packs 16 KiB in 1.2 ms and 1 MiB in 0.2 s; 11 takes 40 times as long and saves another 8 %.
 */
const EFFORTS = [
  { bytesMax: MIB, brotli: 7, gzip: 9 },
  { bytesMax: 8 * MIB, brotli: 5, gzip: 6 },
  { bytesMax: Number.POSITIVE_INFINITY, brotli: 4, gzip: 4 },
] as const;

/** Sizes of the copies of one blob; null when none is worth keeping. */
export interface EncodedBlob {
  sha256: string;
  brotli_size: number | null;
  gzip_size: number | null;
}

/**
 * Creates the brotli and gzip copies of a blob and stores each if it is smaller, whether or not it is already
 * there. Returns null when the content itself is gone. The caller settles the store before it records what
 * was stored.
 */
export async function encodeBlob(
  app: App,
  { sha256, size }: { sha256: string; size: number },
): Promise<EncodedBlob | null> {
  const content = await readWhole(app, sha256, size);
  if (content === null) return null;
  const effort = EFFORTS.find(({ bytesMax }) => size <= bytesMax) ?? EFFORTS[2];
  const gzipped = await promisify(gzip)(content, { chunkSize: CHUNK_BYTES, level: effort.gzip });
  // What gzip cannot pack, brotli cannot either, and its attempt would cost more.
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
  const keep = async (encoding: 'br' | 'gzip', bytes: Buffer): Promise<number | null> => {
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
