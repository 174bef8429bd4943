import type { Config } from '#server/config.ts';
import type { Outgoing } from '#server/outgoing.ts';
import type { BlobStore } from './blob-store.ts';
import { openDirectoryStore } from './directory-store.ts';
import { DiskReserve } from './disk-reserve.ts';
import { openS3Store } from './s3-store.ts';

/**
 * Returns the store that OBJECT_STORE_URL names: `file:{directory}` or `s3://key:secret@host/bucket?region=…`. What is being
 * received lies in the directory, or in DATA_DIR on its way to S3, and leaves the reserve of that disk alone.
 */
export async function openBlobStore(config: Config, outgoing: Outgoing): Promise<BlobStore> {
  const { objectStoreUrl: url, dataDir, diskReserveBytes } = config;
  if (url.startsWith('s3://')) {
    return openS3Store(url, dataDir, outgoing, { reserve: new DiskReserve(dataDir, diskReserveBytes) });
  }
  const root = url.slice('file:'.length);
  return openDirectoryStore(root, { reserve: new DiskReserve(root, diskReserveBytes) });
}
