import type { Selectable } from 'kysely';
import type { Db } from '#db/client.ts';
import { preparedQuery } from '#db/prepared-query.ts';
import type { ObjectUploadsTable } from '#db/schema/object-uploads.ts';
import type { ListedObject, ListedUpload, S3Object, S3Piece, S3Ports, S3Upload } from '#server/s3/ports.ts';
import { kindOf, toObject, toPiece, toUpload } from './object-rows.ts';
import { LISTED_COLUMNS, selectFolded } from './select-folded.ts';

const selectObject = preparedQuery((executor, bucketId: string, key: string) =>
  executor.selectFrom('objects').selectAll().where('bucket_id', '=', bucketId).where('key', '=', key),
);

const selectPieces = preparedQuery((executor, contentId: string, after: number, limit: number) =>
  executor
    .selectFrom('object_pieces')
    .selectAll()
    .where('content_id', '=', contentId)
    .where('part_number', '>', after)
    .orderBy('part_number')
    .limit(limit),
);

export async function findObject(db: Db, bucketId: string, key: string): Promise<S3Object | null> {
  const [row] = await selectObject(db, bucketId, key);
  return row === undefined ? null : toObject(row);
}

/** Returns pieces after a part's number, with the content that is stored with them. */
export async function listPieces(
  db: Db,
  contentId: string,
  after: number,
  limit: number,
): Promise<S3Piece[]> {
  return (await selectPieces(db, contentId, after, limit)).map(toPiece);
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
  const isAfter = isBehind(after, prefix);
  const list = isAfter ? listAfter : listFrom;
  const position = isAfter ? after : prefix;
  const rows = await (delimiter === ''
    ? list.all(db, bucketId, position, limit)
    : list.folded(db, bucketId, { position, prefix, delimiter, limit }));
  return within(rows, prefix).map((row) => ({
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

/** Returns a page of uploads, as far as lists of S3 show them. */
export async function listUploads(db: Db, bucketId: string, page: UploadPage): Promise<ListedUpload[]> {
  const rows = await uploadsOf(db, bucketId, page)
    .select(['id', 'key', 'created_at', 'checksum_algorithm', 'checksum_type'])
    .execute();
  return within(rows, page.prefix).map((row) => ({
    id: row.id,
    key: row.key,
    initiatedAt: row.created_at,
    checksum: row.checksum_algorithm === null ? null : kindOf(row),
  }));
}

/** Returns the same page as rows. */
export async function selectUploads(
  db: Db,
  bucketId: string,
  page: UploadPage,
): Promise<Selectable<ObjectUploadsTable>[]> {
  return within(await uploadsOf(db, bucketId, page).selectAll().execute(), page.prefix);
}

type UploadPage = Parameters<S3Ports['listUploads']>[1];

/** Begins in the index where the page begins, however many uploads come before. */
function uploadsOf(db: Db, bucketId: string, { prefix, afterKey, afterId, limit }: UploadPage) {
  const query = db
    .selectFrom('object_uploads')
    .where('bucket_id', '=', bucketId)
    .orderBy('key')
    .orderBy('id')
    .limit(limit);
  if (!isBehind(afterKey, prefix)) return query.where('key', '>=', prefix);
  // Without an id the whole key has been listed.
  if (afterId === '') return query.where('key', '>', afterKey);
  return query.where(({ eb, refTuple, tuple }) => eb(refTuple('key', 'id'), '>', tuple(afterKey, afterId)));
}

/** Whether a key comes after all that sort before a prefix: in the order of UTF-8 bytes, which differs from JavaScript's own. */
function isBehind(key: string, prefix: string): boolean {
  return Buffer.compare(Buffer.from(key), Buffer.from(prefix)) >= 0;
}

/** Returns the first rows whose keys begin with a prefix: with it, they are one range of the index. */
function within<T extends { key: string }>(rows: T[], prefix: string): T[] {
  const end = rows.findIndex(({ key }) => !key.startsWith(prefix));
  return end === -1 ? rows : rows.slice(0, end);
}
