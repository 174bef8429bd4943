import { sql } from 'kysely';
import { inTransaction } from '#db/transaction.ts';
import type { App } from '#server/context.ts';
import { advanceCursor, type BatchPlace } from './advance-cursor.ts';

/** What was asked of a bucket on a day. */
export interface StorageCounts {
  bucket_id: string;
  organization_id: string;
  bucket_name: string;
  /** Epoch milliseconds of its beginning (UTC). */
  day: number;
  requests: number;
  bytes_received: number;
  bytes_sent: number;
  refused_requests: number;
}

export interface StorageBatch extends BatchPlace {
  rows: readonly StorageCounts[];
}

const SUMS = ['requests', 'bytes_received', 'bytes_sent', 'refused_requests'] as const;
const ROWS_AT_ONCE = 500;

/**
 * Adds what the S3 service counted to the days of its buckets, once: a batch that comes again, after a lost answer, changes
 * nothing. Answers whether it was added now.
 */
export async function applyStorageBatch(app: App, { rows, ...place }: StorageBatch): Promise<boolean> {
  return inTransaction(app.db, async (trx) => {
    if (!(await advanceCursor(trx, place, app.clock.now()))) return false;
    // In the order of the key: of any number of processes, none waits for another in a circle.
    const ordered = rows.toSorted((one, other) =>
      one.bucket_id === other.bucket_id ? one.day - other.day : one.bucket_id < other.bucket_id ? -1 : 1,
    );
    for (let at = 0; at < ordered.length; at += ROWS_AT_ONCE) {
      const some = ordered.slice(at, at + ROWS_AT_ONCE);
      const added = Object.fromEntries(
        SUMS.map((name) => [
          name,
          sql<number>`${sql.ref(`bucket_days.${name}`)} + ${sql.ref(`excluded.${name}`)}`,
        ]),
      );
      await trx
        .insertInto('bucket_days')
        .values(some.map((row) => ({ ...row, byte_hours: 0 })))
        .onConflict((conflict) => conflict.columns(['bucket_id', 'day']).doUpdateSet(added))
        .execute();
    }
    return true;
  });
}
