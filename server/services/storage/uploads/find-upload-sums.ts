import { LRUCache } from 'lru-cache';
import type { App } from '#server/context.ts';
import { type BucketUploadSums, sumUploads } from './upload-queries.ts';

/** Up to this many rows are summed for every request; more of them block the event loop, or the database server, for milliseconds. */
const ROWS_QUICK = 1_000;
/** For each of this many rows, the sums are kept for a millisecond: about twenty times as long as summing takes. */
const ROWS_PER_MS = 100;
const KEPT_MAX = 1_000;

interface Kept {
  readonly sums: Promise<BucketUploadSums>;
  /** Milliseconds of `performance.now` until which they are not read again. */
  restsUntil: number;
}

const keptOf = new WeakMap<App, LRUCache<string, Kept>>();

/**
 * Returns the sums of a bucket's uploads. Calls during a summation share its result, and for a bucket with
 * many uploads the result is up to half a second old: one person may ask thousands of times a minute, and
 * everybody else at the console would wait.
 */
export async function findUploadSums(
  app: App,
  bucketId: string,
  idleSince: number,
): Promise<BucketUploadSums> {
  let kept = keptOf.get(app);
  if (kept === undefined) {
    kept = new LRUCache({ max: KEPT_MAX });
    keptOf.set(app, kept);
  }
  const known = kept.get(bucketId);
  if (known !== undefined && performance.now() < known.restsUntil) return known.sums;
  const reading: Kept = {
    sums: sumUploads(app.db, bucketId, idleSince),
    restsUntil: Number.POSITIVE_INFINITY,
  };
  kept.set(bucketId, reading);
  try {
    const sums = await reading.sums;
    if (sums.rowCount < ROWS_QUICK) kept.delete(bucketId);
    else reading.restsUntil = performance.now() + sums.rowCount / ROWS_PER_MS;
    return sums;
  } catch (error) {
    kept.delete(bucketId);
    throw error;
  }
}
