import { createHash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Executor } from '#db/client.ts';
import { mapConcurrently } from '#server/concurrency/map-concurrently.ts';
import { AppError, isNodeError } from '#server/errors.ts';
import type { BlobEncoding, BlobHandle, BlobStore } from '#server/store/blob-store.ts';

const ROWS_AT_ONCE = 1_000;
const FILES_AT_ONCE = 8;
/** Smaller content is written and synced in batches. */
const BUFFERED_BYTES_MAX = 1024 * 1024;
const ENCODINGS: readonly BlobEncoding[] = ['identity', 'br', 'gzip'];

/** The content that a database refers to and a store has. */
export interface ContentFigures {
  blobs: number;
  pieces: number;
  /** Total of both, encodings not included. */
  bytes: number;
  /** Hashes and ids whose content is missing or damaged. */
  missing: string[];
}

/** A row that refers to content. */
export interface ContentRow {
  name: string;
  size: number;
  /** An organization has it. Otherwise it may be missing: an upload sends it later, or it is being removed. */
  isOwned: boolean;
}

/** A row of a bucket's content. */
export interface PieceRow extends ContentRow {
  /** Its MD5, which S3 clients see as its ETag. */
  etag: string;
}

/**
 * Copies the content that a database refers to from one store to another; what is already there is not
 * written again.
 */
export async function copyContent(reader: Executor, from: BlobStore, to: BlobStore): Promise<ContentFigures> {
  const figures: ContentFigures = { blobs: 0, pieces: 0, bytes: 0, missing: [] };
  const note = (kind: 'blobs' | 'pieces', { name, size, isOwned }: ContentRow, isThere: boolean) => {
    if (isThere) {
      figures[kind] += 1;
      figures.bytes += size;
    } else if (isOwned) figures.missing.push(name);
  };
  for await (const rows of blobRows(reader)) {
    await mapConcurrently(rows, FILES_AT_ONCE, async (row) =>
      note('blobs', row, await copyBlob(row, from, to)),
    );
    await to.settle();
  }
  for await (const rows of pieceRows(reader)) {
    await mapConcurrently(rows, FILES_AT_ONCE, async (row) =>
      note('pieces', row, await copyPiece(row, from, to)),
    );
  }
  return figures;
}

/** Returns whether the target has the content afterwards. */
async function copyBlob({ name, size }: ContentRow, from: BlobStore, to: BlobStore): Promise<boolean> {
  for (const encoding of ENCODINGS) {
    if (await to.has(name, encoding)) continue;
    const handle = await from.open(name, encoding);
    if (handle === null) {
      if (encoding === 'identity') return false;
      continue;
    }
    try {
      const expected = encoding === 'identity' ? size : handle.size;
      await to.put(name, encoding, await contentOf(handle), { size: expected, isDeferred: true });
    } catch (error) {
      if (isDamage(error)) return false;
      throw error;
    } finally {
      await handle.close();
    }
  }
  return true;
}

/** Whether content is not what was stored, or on a sector that cannot be read; everything else goes on without it. */
function isDamage(error: unknown): boolean {
  if (isNodeError(error) && error.code === 'EIO') return true;
  return error instanceof AppError && ['hash_mismatch', 'size_mismatch'].includes(error.code);
}

async function* hashed(content: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const bytes of content) {
    hash.update(bytes);
    yield bytes;
  }
}

async function copyPiece({ name, size, etag }: PieceRow, from: BlobStore, to: BlobStore): Promise<boolean> {
  const known = await to.pieces.open(name);
  await known?.close();
  if (known?.size === size) return true;
  const handle = await from.pieces.open(name);
  if (handle === null) return false;
  try {
    if (handle.size !== size) return false;
    const hash = createHash('md5');
    const content = Readable.from(hashed(streamOf(handle), hash));
    const staged = await to.pieces.receive(content, { announcedBytes: size, id: name });
    if (hash.digest('hex') !== etag) {
      await staged.discard();
      return false;
    }
    await staged.keep();
    return true;
  } catch (error) {
    if (isDamage(error)) return false;
    throw error;
  } finally {
    await handle.close();
  }
}

function contentOf(handle: BlobHandle): Promise<Buffer> | Readable {
  return handle.size <= BUFFERED_BYTES_MAX ? buffer(streamOf(handle)) : streamOf(handle);
}

/** Returns all bytes of stored content. */
export function streamOf(handle: BlobHandle): Readable {
  return handle.size === 0 ? Readable.from([]) : handle.stream(0, handle.size - 1);
}

/** Yields the blobs that a database knows, by their hashes. */
export async function* blobRows(reader: Executor): AsyncGenerator<ContentRow[]> {
  let after = '';
  for (;;) {
    const rows = await reader
      .selectFrom('blobs')
      .select(['sha256', 'size'])
      .select(({ exists, selectFrom }) =>
        exists(
          selectFrom('organization_blobs')
            .select('organization_blobs.sha256')
            .whereRef('organization_blobs.sha256', '=', 'blobs.sha256'),
        ).as('is_owned'),
      )
      .where('sha256', '>', after)
      .orderBy('sha256')
      .limit(ROWS_AT_ONCE)
      .execute();
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.sha256;
    yield rows.map(({ sha256, size, is_owned }) => ({ name: sha256, size, isOwned: Boolean(is_owned) }));
  }
}

/** Yields the pieces of objects and uploads that lie in the store, by their ids: the content of others is in their rows. */
export async function* pieceRows(reader: Executor): AsyncGenerator<PieceRow[]> {
  let after = '';
  for (;;) {
    const rows = await reader
      .selectFrom('object_pieces')
      .select(['id', 'size', 'etag'])
      .where('id', '>', after)
      .where('content', 'is', null)
      .orderBy('id')
      .limit(ROWS_AT_ONCE)
      .execute();
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
    yield rows.map(({ id, size, etag }) => ({ name: id, size, etag, isOwned: true }));
  }
}

/** Removes content that no row of a database refers to. Returns how many. */
export async function removeUnnamed(reader: Executor, store: BlobStore): Promise<number> {
  let removed = 0;
  for await (const names of inPortions(store.list(), ({ sha256 }) => sha256)) {
    const rows = await reader.selectFrom('blobs').select('sha256').where('sha256', 'in', names).execute();
    const known = new Set(rows.map(({ sha256 }) => sha256));
    for (const name of names.filter((each) => !known.has(each))) {
      await store.remove(name);
      removed += 1;
    }
  }
  for await (const names of inPortions(store.pieces.list(), ({ id }) => id)) {
    const rows = await reader.selectFrom('object_pieces').select('id').where('id', 'in', names).execute();
    const known = new Set(rows.map(({ id }) => id));
    for (const name of names.filter((each) => !known.has(each))) {
      await store.pieces.remove(name);
      removed += 1;
    }
  }
  return removed;
}

async function* inPortions<T>(
  items: AsyncIterable<T>,
  nameOf: (item: T) => string,
): AsyncGenerator<string[]> {
  let names = new Set<string>();
  for await (const item of items) {
    names.add(nameOf(item));
    if (names.size < ROWS_AT_ONCE) continue;
    yield [...names];
    names = new Set();
  }
  if (names.size > 0) yield [...names];
}
