import { runForAsker } from '#db/asker.ts';
import { FairQueue } from '#server/concurrency/fair-queue.ts';
import { OrganizationQueue } from '#server/concurrency/organization-queue.ts';
import { FairTurns } from '#server/connections/fair-turns.ts';
import type { App } from '#server/context.ts';
import type { S3Bucket, S3Piece } from '#server/s3/ports.ts';
import { withRoom } from './require-room.ts';
import { withS3Errors } from './with-s3-errors.ts';

/**
 * Changes of the database in progress, half of what a commit may hold, and how many wait. Organizations
 * take turns.
 */
const CHANGES = { atOnceMax: 32, waitingMax: 10_000 };
/**
 * Of requests that take thousands of steps, a turn of the event loop begins so many: objects that are deleted, or short
 * pages of lists. With an embedded database, nothing else would have a turn before the last one.
 */
const STEPS_PER_TURN = 8;
/** Lists and long documents that are in memory at a time, and how many of one organization wait. */
const LONG_WORK = { atOnce: 32, atOncePerKey: 8, waitingPerKeyMax: 1_000 };
/** Rows of a list that are read in one step. */
export const ROWS_OF_STEP = 100;
/** Rows of pieces that are read together: nearly every object has fewer. */
const PIECES_AT_ONCE = 400;

type Owned = Pick<S3Bucket, 'ownerId'>;

/** How requests of S3 clients reach the database: the owners of buckets take turns. */
export interface S3Turns {
  /** Runs a read or a small change when it is its owner's turn. */
  inStep<T>(bucket: Owned, steps: number, work: () => Promise<T>): Promise<T>;
  /** Reads pieces in portions, of which the first begins at once. */
  readPieces(
    bucket: Owned,
    page: { after: number; limit: number },
    read: (after: number, limit: number) => Promise<S3Piece[]>,
  ): Promise<S3Piece[]>;
  /** Runs work that holds thousands of rows. @throws S3Error, SlowDown when too much of its owner waits */
  asLongWork<T>(bucket: Owned, work: () => Promise<T>): Promise<T>;
  /** Runs a change. @throws S3Error, SlowDown when too many wait */
  asChange<T>(bucket: Owned, change: () => Promise<T>): Promise<T>;
  /** Runs a change that takes room, which is looked up before the change has its turn. @throws as a change does, and QuotaExceeded */
  asGrowth<T>(bucket: S3Bucket, change: () => Promise<T>): Promise<T>;
}

/** Returns the turns of one process. */
export function createS3Turns(app: App): S3Turns {
  const changes = new FairQueue(CHANGES);
  const steps = new FairTurns(STEPS_PER_TURN);
  const longWork = new OrganizationQueue(LONG_WORK);
  const inStep: S3Turns['inStep'] = ({ ownerId }, cost, work) =>
    new Promise((resolve, reject) => {
      const begin = () => {
        runForAsker(ownerId, work).then(resolve, reject);
        return true;
      };
      steps.take(ownerId, begin, cost);
    });
  const asChange: S3Turns['asChange'] = ({ ownerId }, change) =>
    withS3Errors(() => changes.run(ownerId, () => runForAsker(ownerId, change)));
  return {
    inStep,
    async readPieces(bucket, { after, limit }, read) {
      const found = await runForAsker(bucket.ownerId, () => read(after, Math.min(limit, PIECES_AT_ONCE)));
      for (let portion = found; portion.length === PIECES_AT_ONCE && found.length < limit; ) {
        const last = found.at(-1)?.partNumber ?? after;
        const next = () => read(last, Math.min(limit - found.length, PIECES_AT_ONCE));
        portion = await inStep(bucket, PIECES_AT_ONCE / ROWS_OF_STEP, next);
        found.push(...portion);
      }
      return found;
    },
    asLongWork: ({ ownerId }, work) => withS3Errors(() => longWork.run(ownerId, work)),
    asChange,
    asGrowth: (bucket, change) =>
      runForAsker(bucket.ownerId, () => withRoom(app, bucket, () => asChange(bucket, change))),
  };
}
