import { sql } from 'kysely';
import type { Executor } from '#db/client.ts';

/** What has arrived of an upload. */
export interface PartSums {
  readonly count: number;
  readonly bytes: number;
  /** Epoch milliseconds; null before the first part. */
  readonly lastPartAt: number | null;
}

const NO_PARTS: PartSums = { count: 0, bytes: 0, lastPartAt: null };

/**
 * Returns the number and size of the received parts of uploads, by the uploads' ids; those without parts are
 * absent.
 */
export async function listPartSums(
  executor: Executor,
  uploadIds: readonly string[],
): Promise<ReadonlyMap<string, PartSums>> {
  if (uploadIds.length === 0) return new Map();
  const rows = await executor
    .selectFrom('object_pieces')
    .select(({ fn }) => [
      'content_id',
      fn.countAll<number>().as('count'),
      fn.sum<number>('size').as('bytes'),
      fn.max('created_at').as('last_part_at'),
    ])
    .where('content_id', 'in', uploadIds)
    .groupBy('content_id')
    .execute();
  return new Map(
    rows.map(({ content_id, count, bytes, last_part_at }) => [
      content_id,
      { count: Number(count), bytes: Number(bytes), lastPartAt: Number(last_part_at) },
    ]),
  );
}

/** Returns the number and size of the received parts of one upload. */
export async function findPartSums(executor: Executor, uploadId: string): Promise<PartSums> {
  return (await listPartSums(executor, [uploadId])).get(uploadId) ?? NO_PARTS;
}

/** Uploads and their bytes. */
export interface UploadSums {
  readonly count: number;
  readonly bytes: number;
}

/** What the uploads of a bucket come to, and those of which nothing has come since an instant. */
export interface BucketUploadSums {
  readonly all: UploadSums;
  readonly idle: UploadSums;
  /** Uploads and parts. */
  readonly rowCount: number;
}

/** Returns the sums of a bucket; each row of it is read. */
export async function sumUploads(
  executor: Executor,
  bucketId: string,
  idleSince: number,
): Promise<BucketUploadSums> {
  const uploads = executor
    .selectFrom('object_uploads')
    .leftJoin('object_pieces', 'object_pieces.content_id', 'object_uploads.id')
    .select(({ fn }) => [
      'object_uploads.id',
      fn.count<number>('object_pieces.id').as('parts'),
      fn.coalesce(fn.sum<number>('object_pieces.size'), sql<number>`0`).as('bytes'),
      fn.coalesce(fn.max('object_pieces.created_at'), 'object_uploads.created_at').as('last_at'),
    ])
    .where('object_uploads.bucket_id', '=', bucketId)
    .groupBy(['object_uploads.bucket_id', 'object_uploads.key', 'object_uploads.id']);
  const row = await executor
    .selectFrom(uploads.as('uploads'))
    .select(({ fn }) => [
      fn.countAll<number>().as('count'),
      fn.coalesce(fn.sum<number>('bytes'), sql<number>`0`).as('bytes'),
      fn.coalesce(fn.sum<number>('parts'), sql<number>`0`).as('parts'),
      sql<number>`count(case when last_at < ${idleSince} then 1 end)`.as('idle_count'),
      sql<number>`coalesce(sum(case when last_at < ${idleSince} then bytes end), 0)`.as('idle_bytes'),
    ])
    .executeTakeFirstOrThrow();
  return {
    all: { count: Number(row.count), bytes: Number(row.bytes) },
    idle: { count: Number(row.idle_count), bytes: Number(row.idle_bytes) },
    rowCount: Number(row.count) + Number(row.parts),
  };
}

/** Returns the logins of people, by their ids. */
export async function findLogins(
  executor: Executor,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (userIds.length === 0) return new Map();
  const rows = await executor
    .selectFrom('users')
    .select(['id', 'login'])
    .where('id', 'in', [...new Set(userIds)])
    .execute();
  return new Map(rows.map(({ id, login }) => [id, login]));
}
