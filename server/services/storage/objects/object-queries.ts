import { type Selectable, sql } from 'kysely';
import type { Db } from '#db/client.ts';
import { preparedQuery } from '#db/prepared-query.ts';
import type { ObjectUploadsTable } from '#db/schema/object-uploads.ts';
import type { ListedObject, S3Object, S3Piece, S3Ports, S3Upload } from '#server/s3/ports.ts';
import { kindOf, toObject, toPiece, toUpload } from './object-rows.ts';
import { LISTED_COLUMNS, selectFolded } from './select-folded.ts';

const selectObject = preparedQuery((executor, bucketId: string, key: string) =>
  executor.selectFrom('objects').selectAll().where('bucket_id', '=', bucketId).where('key', '=', key),
);

const selectPieces = preparedQuery((executor, contentId: string) =>
  executor.selectFrom('object_pieces').selectAll().where('content_id', '=', contentId).orderBy('part_number'),
);

export async function findObject(db: Db, bucketId: string, key: string): Promise<S3Object | null> {
  const [row] = await selectObject(db, bucketId, key);
  return row === undefined ? null : toObject(row);
}

export async function listPieces(db: Db, contentId: string): Promise<S3Piece[]> {
  return (await selectPieces(db, contentId)).map(toPiece);
}

const selectParts = preparedQuery((executor, uploadId: string, after: number, limit: number) =>
  executor
    .selectFrom('object_pieces')
    .select(['id', 'part_number', 'size', 'etag', 'checksum', 'created_at'])
    .where('content_id', '=', uploadId)
    .where('part_number', '>', after)
    .orderBy('part_number')
    .limit(limit),
);

/** Returns parts without their content, which a list does not need. */
export async function listParts(db: Db, uploadId: string, after: number, limit: number): Promise<S3Piece[]> {
  return (await selectParts(db, uploadId, after, limit)).map((row) => toPiece({ ...row, content: null }));
}

const selectListed = (comparison: '>' | '>=') =>
  preparedQuery((executor, bucketId: string, position: string, limit: number) =>
    executor
      .selectFrom('objects')
      .select(LISTED_COLUMNS)
      .where('bucket_id', '=', bucketId)
      .where('key', comparison, position)
      .orderBy('key')
      .limit(limit),
  );

const listFrom = { all: selectListed('>='), folded: selectFolded('>=') };
const listAfter = { all: selectListed('>'), folded: selectFolded('>') };

/** Keys with a prefix are those from it on that still start with it: a range of the index, for any prefix. */
export async function listObjects(
  db: Db,
  bucketId: string,
  { prefix, after, limit, delimiter = '' }: Parameters<S3Ports['listObjects']>[1],
): Promise<ListedObject[]> {
  // In the order of UTF-8 bytes, which differs from JavaScript's own comparison.
  const isBehind = Buffer.compare(Buffer.from(after), Buffer.from(prefix)) >= 0;
  const list = isBehind ? listAfter : listFrom;
  const position = isBehind ? after : prefix;
  const rows = await (delimiter === ''
    ? list.all(db, bucketId, position, limit)
    : list.folded(db, bucketId, { position, prefix, delimiter, limit }));
  const end = rows.findIndex(({ key }) => !key.startsWith(prefix));
  return (end === -1 ? rows : rows.slice(0, end)).map((row) => ({
    key: row.key,
    size: row.size,
    etag: row.etag,
    modifiedAt: row.modified_at,
    checksum: row.checksum_algorithm === null ? null : kindOf(row),
  }));
}

export async function findUpload(
  db: Db,
  bucketId: string,
  key: string,
  uploadId: string,
): Promise<S3Upload | null> {
  const row = await db
    .selectFrom('object_uploads')
    .selectAll()
    .where('bucket_id', '=', bucketId)
    .where('key', '=', key)
    .where('id', '=', uploadId)
    .executeTakeFirst();
  return row === undefined ? null : toUpload(row);
}

export async function listUploads(
  db: Db,
  bucketId: string,
  query: Parameters<S3Ports['listUploads']>[1],
): Promise<S3Upload[]> {
  return (await selectUploads(db, bucketId, query)).map(toUpload);
}

/** Returns the same page as rows. */
export async function selectUploads(
  db: Db,
  bucketId: string,
  { prefix, afterKey, afterId, limit }: Parameters<S3Ports['listUploads']>[1],
): Promise<Selectable<ObjectUploadsTable>[]> {
  const rows = await db
    .selectFrom('object_uploads')
    .selectAll()
    .where('bucket_id', '=', bucketId)
    .where('key', '>=', prefix)
    // Without an id the whole key has been listed.
    .where(
      afterId === ''
        ? sql<boolean>`key > ${afterKey}`
        : sql<boolean>`(key > ${afterKey} or (key = ${afterKey} and id > ${afterId}))`,
    )
    .orderBy('key')
    .orderBy('id')
    .limit(limit)
    .execute();
  const end = rows.findIndex(({ key }) => !key.startsWith(prefix));
  return end === -1 ? rows : rows.slice(0, end);
}
