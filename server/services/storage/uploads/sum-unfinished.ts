import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '#db/client.ts';

/** What is read together takes some milliseconds. */
const UPLOADS_OF_READ = 200;
const PARTS_OF_READ = 2_000;

/** What the unfinished uploads of an organization hold. */
export interface UnfinishedSums {
  readonly bytes: number;
  /** Their parts, and uploads without parts. */
  readonly items: number;
  /** How many reads it took, each in a turn of its own. */
  readonly reads: number;
}

/** Sums up the unfinished uploads of an organization: each row is read, some in each turn of the event loop. */
export async function sumUnfinished(db: Db, organizationId: string): Promise<UnfinishedSums> {
  const buckets = await db
    .selectFrom('buckets')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('object_uploads')
          .select(sql`1`.as('one'))
          .whereRef('object_uploads.bucket_id', '=', 'buckets.id'),
      ),
    )
    .execute();
  const sums = { bytes: 0, items: 0, reads: 0 };
  for (const { id } of buckets) {
    for (let after = { key: '', id: '' }; ; ) {
      const uploads = await db
        .selectFrom('object_uploads')
        .select(['key', 'id'])
        .where('bucket_id', '=', id)
        .where(({ eb, refTuple, tuple }) => eb(refTuple('key', 'id'), '>', tuple(after.key, after.id)))
        .orderBy('key')
        .orderBy('id')
        .limit(UPLOADS_OF_READ)
        .execute();
      await addParts(
        db,
        uploads.map((upload) => upload.id),
        sums,
      );
      const last = uploads.at(-1);
      if (last === undefined || uploads.length < UPLOADS_OF_READ) break;
      after = last;
    }
  }
  return sums;
}

/** Adds what uploads hold; of those with many parts, fewer at a time. */
async function addParts(
  db: Db,
  uploadIds: readonly string[],
  sums: { bytes: number; items: number; reads: number },
): Promise<void> {
  if (uploadIds.length === 0) return;
  if (sums.reads > 0) await nextTurn();
  sums.reads += 1;
  const parts = db
    .selectFrom('object_pieces')
    .select(['content_id', 'size'])
    .where('content_id', 'in', uploadIds)
    // One upload is read whole, however many parts it has.
    .$if(uploadIds.length > 1, (query) => query.limit(PARTS_OF_READ + 1));
  const row = await db
    .selectFrom(parts.as('parts'))
    .select(({ fn }) => [
      fn.countAll<number>().as('count'),
      fn.count<number>('content_id').distinct().as('uploads'),
      fn.sum<number>('size').as('bytes'),
    ])
    .executeTakeFirstOrThrow();
  const count = Number(row.count);
  if (count > PARTS_OF_READ && uploadIds.length > 1) {
    const half = Math.ceil(uploadIds.length / 2);
    await addParts(db, uploadIds.slice(0, half), sums);
    await addParts(db, uploadIds.slice(half), sums);
    return;
  }
  sums.bytes += Number(row.bytes ?? 0);
  sums.items += count + uploadIds.length - Number(row.uploads);
}
