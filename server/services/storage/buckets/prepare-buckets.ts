import type { RequestContext } from '#server/context.ts';
import { prepareBucket } from './prepare-bucket.ts';

const BATCH = 100;
/** The request that creates a bucket prepares it immediately; after this long it has not. */
const WAIT_MS = 30_000;

/** Prepares buckets that could not be prepared before: their process ended, or the store was unavailable. */
export async function prepareBuckets({ app }: RequestContext): Promise<number> {
  const rows = await app.db
    .selectFrom('buckets')
    .select('id')
    .where('status', 'in', ['pending', 'creating', 'error'])
    .where('updated_at', '<', app.clock.now() - WAIT_MS)
    .limit(BATCH)
    .execute();
  for (const { id } of rows) await prepareBucket(app, id);
  return rows.length;
}
