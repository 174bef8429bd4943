import type { App } from '#server/context.ts';
import { openStuckWork, type StuckWork } from '../stuck-work/open-stuck-work.ts';
import { DAMAGED_MAX, SCRUB_BYTES_A_RUN, SCRUB_EVERY_MS } from './rules.ts';
import { readScrubPosition, type ScrubPosition, writeScrubPosition } from './scrub-position.ts';

const BATCH = 100;

/** A kind of stored content, and how it is read again. */
export interface Scrubbed<Row extends { id: string; size: number }> {
  /** The name of the job, under which damage is listed. */
  job: string;
  /** Under which the progress is stored. */
  positionName: string;
  /** Logged when everything was read. */
  finishedMessage: string;
  /** Returns rows in the order of their ids, from the first after `afterId`. */
  list(afterId: string, limit: number): Promise<Row[]>;
  /** Returns a row; undefined when nothing refers to the content any more. */
  find(id: string): Promise<Row | undefined>;
  /** Returns a description of the damage, or null. @throws when the store cannot be read */
  findDamage(row: Row, stopping: AbortSignal): Promise<string | null>;
  /** Says whose content it is, for the operator who must tell them. */
  describe(row: Row): Promise<string>;
}

/**
 * Reads a part of the stored content and compares it with what was written, from where the last run ended:
 * everything is reread periodically. What is missing, truncated or changed is listed as stuck work until it
 * is intact again or unreferenced. Returns how many were read.
 */
export async function runScrub<Row extends { id: string; size: number }>(
  app: App,
  scrubbed: Scrubbed<Row>,
  stopping: AbortSignal,
): Promise<number> {
  const stuck = await openStuckWork(app, scrubbed.job);
  const known = await listDamaged(app, scrubbed.job);
  for (const id of known) {
    // They may have been repaired, or released.
    if (stuck.isWaiting(id) || stopping.aborted) continue;
    const row = await scrubbed.find(id);
    if (row === undefined) await stuck.succeed(id);
    else await check(scrubbed, stuck, row, stopping);
  }
  if (known.length >= DAMAGED_MAX) return 0;
  const now = app.clock.now();
  const position = await readScrubPosition(app.db, scrubbed.positionName);
  const isResting = position?.finished_at != null && now - position.started_at < SCRUB_EVERY_MS;
  if (isResting) return 0;
  const begun: ScrubPosition =
    position === null || position.finished_at !== null
      ? { started_at: now, finished_at: null, after_id: '', pieces: 0, bytes: 0 }
      : position;
  return goOn(app, scrubbed, stuck, begun, stopping);
}

async function goOn<Row extends { id: string; size: number }>(
  app: App,
  scrubbed: Scrubbed<Row>,
  stuck: StuckWork,
  from: ScrubPosition,
  stopping: AbortSignal,
): Promise<number> {
  const position = { ...from };
  let left = SCRUB_BYTES_A_RUN;
  while (left > 0 && !stopping.aborted) {
    const batch = await scrubbed.list(position.after_id, BATCH);
    for (const row of batch) {
      if (left <= 0 || stopping.aborted) break;
      await check(scrubbed, stuck, row, stopping);
      if (stopping.aborted) break;
      position.after_id = row.id;
      position.pieces += 1;
      position.bytes += row.size;
      left -= Math.max(row.size, 1);
    }
    await writeScrubPosition(app, scrubbed.positionName, position);
    const damaged = (await listDamaged(app, scrubbed.job)).length;
    if (damaged >= DAMAGED_MAX) break;
    if (batch.length < BATCH && position.after_id === (batch.at(-1)?.id ?? position.after_id)) {
      const { pieces, bytes, started_at } = position;
      await writeScrubPosition(app, scrubbed.positionName, { ...position, finished_at: app.clock.now() });
      const found = { pieces, bytes, started_at: new Date(started_at), damaged };
      app.logger.info(found, scrubbed.finishedMessage);
      break;
    }
  }
  return position.pieces - from.pieces;
}

async function check<Row extends { id: string; size: number }>(
  scrubbed: Scrubbed<Row>,
  stuck: StuckWork,
  row: Row,
  stopping: AbortSignal,
): Promise<void> {
  const damage = await scrubbed.findDamage(row, stopping);
  if (stopping.aborted) return;
  if (damage === null) await stuck.succeed(row.id);
  // Losing what was released in the meantime does no harm.
  else if ((await scrubbed.find(row.id)) !== undefined) {
    await stuck.fail(row.id, new Error(`${damage}: ${await scrubbed.describe(row)}`));
  }
}

/** The job as a whole has no item. */
async function listDamaged({ db }: App, job: string): Promise<string[]> {
  const rows = await db
    .selectFrom('stuck_work')
    .select('item')
    .where('job', '=', job)
    .where('item', '!=', '')
    .execute();
  return rows.map(({ item }) => item);
}
