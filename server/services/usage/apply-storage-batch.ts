import { sql } from 'kysely';
import { inTransaction } from '#db/transaction.ts';
import type { App } from '#server/context.ts';
import { advanceCursor, type BatchPlace } from './advance-cursor.ts';

/** Requests to a bucket on a day. */
export interface StorageCounts {
  bucket_id: string;
  organization_id: string;
  bucket_name: string;
  /** Start of the day (UTC), in epoch milliseconds. */
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
 * Adds the S3 service's counts to the days of its buckets, once: a repeated batch, after a lost response,
 * changes nothing. Returns whether it was added now.
 */
export async function applyStorageBatch(app: App, { rows, ...place }: StorageBatch): Promise<boolean> {
  return inTransaction(app.db, async (trx) => {
    if (!(await advanceCursor(trx, place, app.clock.now()))) return false;
    // In key order, so that concurrent processes never deadlock.
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
