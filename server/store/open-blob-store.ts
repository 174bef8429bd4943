import type { Config } from '#server/config.ts';
import type { BlobStore } from './blob-store.ts';
import { openDirectoryStore } from './directory-store.ts';
import { openS3Store } from './s3-store.ts';

/** Returns the store that OBJECT_STORE_URL names: `file:{directory}` or `s3://key:secret@host/bucket?region=…`. */
export async function openBlobStore(config: Config): Promise<BlobStore> {
  const url = config.objectStoreUrl;
  if (url.startsWith('s3://')) return openS3Store(url, config.dataDir);
  return openDirectoryStore(url.slice('file:'.length));
}
