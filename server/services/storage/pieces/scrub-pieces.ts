import { hash } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { ObjectPiecesTable } from '#db/schema/object-pieces.ts';
import type { App, RequestContext } from '#server/context.ts';
import { findDamage } from '../../scrub/find-damage.ts';
import { runScrub } from '../../scrub/run-scrub.ts';

/** The name of the job, under which its findings are listed. */
export const SCRUB_JOB = 'scrub-pieces';

type Piece = Pick<Selectable<ObjectPiecesTable>, 'id' | 'bucket_id' | 'content_id' | 'size' | 'etag'>;

/**
 * Reads a part of what buckets hold again. A piece that is missing, truncated or changed is listed as stuck
 * work, with the object it belongs to. Returns how many pieces were read.
 */
export function scrubPieces({ app }: RequestContext, stopping: AbortSignal): Promise<number> {
  return runScrub<Piece>(
    app,
    {
      job: SCRUB_JOB,
      positionName: 'scrub of pieces',
      finishedMessage: 'all that buckets hold was read',
      list: (afterId, limit) =>
        selectPieces(app).where('id', '>', afterId).orderBy('id').limit(limit).execute(),
      find: (id) => selectPieces(app).where('id', '=', id).executeTakeFirst(),
      async findDamage({ id, size, etag }, signal) {
        const content = await findContent(app, id);
        if (content !== null) return isIntact(content, etag) ? null : 'stored content has changed';
        const intact = { size, algorithm: 'md5', digest: etag } as const;
        return findDamage(app.blobs, () => app.blobs.pieces.open(id), intact, signal);
      },
      describe: (piece) => describe(app, piece),
    },
    stopping,
  );
}

/** Returns the bytes of a piece that lies in the database, or null. */
async function findContent({ db }: App, id: string): Promise<Uint8Array | null> {
  const row = await db.selectFrom('object_pieces').select('content').where('id', '=', id).executeTakeFirst();
  return row?.content ?? null;
}

function isIntact(content: Uint8Array, etag: string): boolean {
  return hash('md5', content) === etag;
}

function selectPieces({ db }: App) {
  return db.selectFrom('object_pieces').select(['id', 'bucket_id', 'content_id', 'size', 'etag']);
}

async function describe({ db }: App, { id, bucket_id, content_id }: Piece): Promise<string> {
  const bucket = await db.selectFrom('buckets').select('name').where('id', '=', bucket_id).executeTakeFirst();
  const object = await db
    .selectFrom('objects')
    .select('key')
    .where('bucket_id', '=', bucket_id)
    .where('content_id', '=', content_id)
    .executeTakeFirst();
  const what = object === undefined ? 'an upload in parts' : `the object ${JSON.stringify(object.key)}`;
  return `piece ${id} of ${what} in the bucket ${bucket?.name ?? bucket_id}`;
}
