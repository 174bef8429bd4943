import type { RequestContext } from '#server/context.ts';
import { prepareBucket } from './prepare-bucket.ts';

const BATCH = 100;
/** Whoever created it makes it ready at once; after so long they have not. */
const WAIT_MS = 30_000;

/** Makes buckets ready that could not be before: their process ended meanwhile, or the store was away. */
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
