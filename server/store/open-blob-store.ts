import type { Config } from '#server/config/config.ts';
import type { Outgoing } from '#server/outgoing/outgoing.ts';
import type { BlobStore } from './blob-store.ts';
import { openDirectoryStore } from './directory/directory-store.ts';
import { DiskReserve } from './room/disk-reserve.ts';

const S3 = 's3://';
const FILE = 'file:';

/**
 * Returns the store that OBJECT_STORE_URL names: `file:{directory}` or
 * `s3://key:secret@host/bucket?region=…`. Content is received in the directory, or in DATA_DIR on its way to
 * S3, and leaves the reserve of that disk alone.
 */
export async function openBlobStore(config: Config, outgoing: Outgoing): Promise<BlobStore> {
  const { objectStoreUrl: url, dataDir } = config;
  const reserve = contentReserve(config);
  if (url.startsWith(S3)) {
    // The S3 client takes memory in every process.
    const { openS3Store } = await import('./s3/s3-store.ts');
    return openS3Store(url, dataDir, outgoing, { reserve });
  }
  return openDirectoryStore(url.slice(FILE.length), { reserve });
}

/** Returns the folder of a store that is a directory; null for any other. */
export function storeFolderOf({ objectStoreUrl: url }: Pick<Config, 'objectStoreUrl'>): string | null {
  return url.startsWith(S3) ? null : url.slice(FILE.length);
}

/** Returns the reserve of the disk on which content is received. */
export function contentReserve({ objectStoreUrl: url, dataDir, diskReserveBytes }: Config): DiskReserve {
  return new DiskReserve(url.startsWith(S3) ? dataDir : url.slice(FILE.length), diskReserveBytes);
}
