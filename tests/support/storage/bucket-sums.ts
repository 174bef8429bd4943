import { join } from 'node:path';
import { openDatabase } from '#db/client.ts';
import type { RunningServer } from '../server/test-server.ts';

/** How many objects a bucket has, and their bytes. */
interface Sums {
  objects: number;
  bytes: number;
}

/**
 * Returns the sums of a bucket as they are recorded and as its objects have them, and how many pieces of content there are, of objects
 * and of nothing else.
 */
export async function sumsOfBucket(
  server: RunningServer,
  bucketId: string,
): Promise<{ recorded: Sums; stored: Sums; pieces: number }> {
  const db = openDatabase(`sqlite:${join(server.dataDir, 'portage.sqlite')}`);
  try {
    const bucket = await db
      .selectFrom('buckets')
      .select(['object_count', 'stored_bytes'])
      .where('id', '=', bucketId)
      .executeTakeFirstOrThrow();
    const changes = await db
      .selectFrom('bucket_changes')
      .select(['objects', 'bytes'])
      .where('bucket_id', '=', bucketId)
      .execute();
    const sizes = await db.selectFrom('objects').select('size').where('bucket_id', '=', bucketId).execute();
    const pieces = await db
      .selectFrom('object_pieces')
      .select('id')
      .where('bucket_id', '=', bucketId)
      .execute();
    return {
      recorded: {
        objects: changes.reduce((sum, { objects }) => sum + objects, bucket.object_count),
        bytes: changes.reduce((sum, { bytes }) => sum + bytes, bucket.stored_bytes),
      },
      stored: { objects: sizes.length, bytes: sizes.reduce((sum, { size }) => sum + size, 0) },
      pieces: pieces.length,
    };
  } finally {
    await db.destroy();
  }
}
