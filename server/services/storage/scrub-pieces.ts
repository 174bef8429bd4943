import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Selectable } from 'kysely';
import type { ObjectPiecesTable } from '#db/schema/object-pieces.ts';
import type { App, RequestContext } from '#server/context.ts';
import { isOutage } from '#server/outage.ts';
import { openStuckWork, type StuckWork } from '../stuck-work/open-stuck-work.ts';
import { SCRUB_BYTES_A_RUN, SCRUB_EVERY_MS } from './rules.ts';
import { readScrubPosition, type ScrubPosition, writeScrubPosition } from './scrub-position.ts';

/** The name of the job, under which its findings are listed. */
export const SCRUB_JOB = 'scrub-pieces';

const BATCH = 100;
/** After this many bytes, other work gets the disk for a moment. */
const STRETCH_BYTES = 8 * 1024 ** 2;
const STRETCH_PAUSE_MS = 200;

type Piece = Pick<Selectable<ObjectPiecesTable>, 'id' | 'bucket_id' | 'content_id' | 'size' | 'etag'>;

/**
 * Reads a part of the stored content and compares it with what was written, from where the last run ended:
 * everything is reread periodically. A piece that is missing, truncated or changed is listed as stuck work
 * until it is intact again or unreferenced, with the object it belongs to. Returns how many pieces were read.
 */
export async function scrubPieces({ app }: RequestContext, stopping: AbortSignal): Promise<number> {
  const stuck = await openStuckWork(app, SCRUB_JOB);
  await checkDamaged(app, stuck, stopping);
  const now = app.clock.now();
  const position = await readScrubPosition(app.db);
  const isResting = position?.finished_at != null && now - position.started_at < SCRUB_EVERY_MS;
  if (isResting) return 0;
  const begun: ScrubPosition =
    position === null || position.finished_at !== null
      ? { started_at: now, finished_at: null, after_id: '', pieces: 0, bytes: 0 }
      : position;
  return goOn(app, stuck, begun, stopping);
}

async function goOn(app: App, stuck: StuckWork, from: ScrubPosition, stopping: AbortSignal): Promise<number> {
  const position = { ...from };
  let left = SCRUB_BYTES_A_RUN;
  while (left > 0 && !stopping.aborted) {
    const batch = await app.db
      .selectFrom('object_pieces')
      .select(['id', 'bucket_id', 'content_id', 'size', 'etag'])
      .where('id', '>', position.after_id)
      .orderBy('id')
      .limit(BATCH)
      .execute();
    for (const piece of batch) {
      if (left <= 0 || stopping.aborted) break;
      await check(app, stuck, piece, stopping);
      if (stopping.aborted) break;
      position.after_id = piece.id;
      position.pieces += 1;
      position.bytes += piece.size;
      left -= Math.max(piece.size, 1);
    }
    await writeScrubPosition(app, position);
    if (batch.length < BATCH && position.after_id === (batch.at(-1)?.id ?? position.after_id)) {
      const { pieces, bytes, started_at } = position;
      await writeScrubPosition(app, { ...position, finished_at: app.clock.now() });
      const found = { pieces, bytes, started_at: new Date(started_at), damaged: await countDamaged(app) };
      app.logger.info(found, 'all that buckets hold was read');
      break;
    }
  }
  return position.pieces - from.pieces;
}

/** Rechecks earlier findings: they may have been repaired, or released. */
async function checkDamaged(app: App, stuck: StuckWork, stopping: AbortSignal): Promise<void> {
  const rows = await app.db.selectFrom('stuck_work').select('item').where('job', '=', SCRUB_JOB).execute();
  for (const { item } of rows) {
    // The job as a whole has no item.
    if (item === '' || stuck.isWaiting(item) || stopping.aborted) continue;
    const piece = await findPiece(app, item);
    if (piece === undefined) await stuck.succeed(item);
    else await check(app, stuck, piece, stopping);
  }
}

async function check(app: App, stuck: StuckWork, piece: Piece, stopping: AbortSignal): Promise<void> {
  const damage = await findDamage(app, piece, stopping);
  if (stopping.aborted) return;
  if (damage === null) await stuck.succeed(piece.id);
  // Losing what was overwritten in the meantime does no harm.
  else if ((await findPiece(app, piece.id)) !== undefined) {
    await stuck.fail(piece.id, new Error(`${damage}: ${await describe(app, piece)}`));
  }
}

/**
 * Returns what is wrong with a piece, or null.
 * @throws when the store cannot be read
 */
async function findDamage(
  { blobs }: App,
  { id, size, etag }: Piece,
  stopping: AbortSignal,
): Promise<string | null> {
  const handle = await blobs.pieces.open(id);
  if (handle === null) return 'stored content is missing';
  try {
    const hash = createHash('md5');
    let read = 0;
    let stretch = 0;
    if (size > 0) {
      for await (const bytes of handle.stream(0, size - 1) as AsyncIterable<Buffer>) {
        if (stopping.aborted) return null;
        hash.update(bytes);
        read += bytes.byteLength;
        stretch += bytes.byteLength;
        if (stretch < STRETCH_BYTES) continue;
        stretch = 0;
        await pause(STRETCH_PAUSE_MS);
      }
    }
    if (read !== size) return `stored content is cut after ${read} of ${size} bytes`;
    return hash.digest('hex') === etag ? null : 'stored content has changed';
  } catch (error) {
    // A missing disk is an outage; an unreadable sector is what this looks for.
    if (isOutage(error)) throw error;
    return `stored content cannot be read (${error instanceof Error ? error.message : String(error)})`;
  } finally {
    await handle.close();
  }
}

/** Says whose content it is, for the operator who must tell them. */
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

function findPiece({ db }: App, id: string): Promise<Piece | undefined> {
  return db
    .selectFrom('object_pieces')
    .select(['id', 'bucket_id', 'content_id', 'size', 'etag'])
    .where('id', '=', id)
    .executeTakeFirst();
}

async function countDamaged({ db }: App): Promise<number> {
  const { count } = await db
    .selectFrom('stuck_work')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('job', '=', SCRUB_JOB)
    .where('item', '!=', '')
    .executeTakeFirstOrThrow();
  return Number(count);
}
