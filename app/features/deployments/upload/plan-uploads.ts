import type { PickedFile } from './picked-files.ts';

export interface HashedFile extends PickedFile {
  sha256: string;
}

/** One request of an upload: a single large content, or many small ones in a tar. */
export interface UploadTask {
  kind: 'single' | 'batch';
  files: HashedFile[];
  bytes: number;
}

/** Smaller content is sent in batches. */
export const SINGLE_BYTES_MIN = 4 * 1024 * 1024;
export const BATCH_BYTES_MAX = 8 * 1024 * 1024;
/** Few enough that a lost connection costs little and the progress moves. */
export const BATCH_FILES_MAX = 250;

/** Returns the requests that send what is missing; equal contents are sent once. */
export function planUploads(files: readonly HashedFile[], missing: readonly string[]): UploadTask[] {
  const wanted = new Set(missing);
  const singles: UploadTask[] = [];
  const batches: UploadTask[] = [];
  let batch: UploadTask | null = null;
  for (const file of files) {
    if (!wanted.delete(file.sha256)) continue;
    const { size } = file.file;
    if (size >= SINGLE_BYTES_MIN) {
      singles.push({ kind: 'single', files: [file], bytes: size });
      continue;
    }
    if (!batch || batch.files.length >= BATCH_FILES_MAX || batch.bytes + size > BATCH_BYTES_MAX) {
      batch = { kind: 'batch', files: [], bytes: 0 };
      batches.push(batch);
    }
    batch.files.push(file);
    batch.bytes += size;
  }
  // The longest first, so that the last minute is not spent waiting for one film.
  singles.sort((a, b) => b.bytes - a.bytes);
  return [...singles, ...batches];
}
