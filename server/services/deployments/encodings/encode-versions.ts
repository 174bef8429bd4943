import { availableParallelism } from 'node:os';
import type { Executor } from '#db/client.ts';
import { mapConcurrently } from '#server/concurrency/map-concurrently.ts';
import type { App, RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { openStuckWork, type StuckWork } from '../../stuck-work/open-stuck-work.ts';
import { workThrough } from '../../stuck-work/work-through.ts';
import { type EncodedBlob, encodeBlob } from './encode-blob.ts';
import {
  collectPortion,
  type EncodingPortion,
  findNextVersion,
  listWaitingOrganizations,
  type UnencodedVersion,
} from './encoding-portion.ts';

/** The job name under which failures are recorded. */
const ENCODING_JOB = 'encode-versions';
/** From this size on, compressing takes longer than writing: one core stays free for requests. */
const LARGE_BYTES = 128 * 1024;
const LARGE_AT_ONCE = Math.max(1, availableParallelism() - 1);
/** Small ones mostly wait for the disk. */
const SMALL_AT_ONCE = LARGE_AT_ONCE + 3;
/** How often edges are told that a version has new copies. */
const ANNOUNCED_EVERY_MS = 2_000;

/** The state of a run. */
interface Run {
  context: RequestContext;
  stuck: StuckWork;
  /** When edges were last told about a version's copies. */
  announcedAt: Map<string, number>;
}

/**
 * Creates the brotli and gzip copies of every sealed version that lacks them, and returns how many contents
 * it encoded. Until a copy is there, the edge serves the content as it was deployed.
 * - Fair: organizations take turns of about half a second; one that has not had a turn is next.
 * - Live versions come before previews, and within a version what its pages need first
 *   (encoding-progress.ts).
 * - Private: an organization's copies are created for it alone, by the same reads, work and writes whether or
 *   not the same content was encoded for another, and its edges learn about them only then. Only the space on
 *   disk is shared, by the same bytes.
 * - What would survive a power cut is recorded, together with the progress; interrupted work continues there.
 * - Content that cannot be encoded waits separately. While the store is down the run ends, and nothing is
 *   recorded.
 */
export async function encodeVersions(
  context: RequestContext,
  stopping?: AbortSignal,
): Promise<{ encoded: number }> {
  const { app } = context;
  const run: Run = { context, stuck: await openStuckWork(app, ENCODING_JOB), announcedAt: new Map() };
  const lastTurnOf = new Map<string, number>();
  let encoded = 0;
  for (let turn = 1; !stopping?.aborted; turn += 1) {
    const waiting = await listWaitingOrganizations(app);
    const next = waiting.sort((a, b) => (lastTurnOf.get(a) ?? 0) - (lastTurnOf.get(b) ?? 0))[0];
    if (next === undefined) break;
    lastTurnOf.set(next, turn);
    const version = await findNextVersion(app, next);
    if (version) encoded += await takeTurn(run, version);
  }
  return { encoded: encoded + (await retryStuckContent(app, stopping)) };
}

async function takeTurn(run: Run, version: UnencodedVersion): Promise<number> {
  const { context, stuck } = run;
  const { app } = context;
  const { organization_id } = version;
  const portion = await collectPortion(app, version, (sha256) =>
    stuck.isWaiting(stuckName(organization_id, sha256)),
  );
  const encoded: EncodedBlob[] = [];
  const failed: { sha256: string; error: unknown }[] = [];
  const isLarge = portion.blobs.some(({ size }) => size >= LARGE_BYTES);
  await mapConcurrently(portion.blobs, isLarge ? LARGE_AT_ONCE : SMALL_AT_ONCE, async (blob) => {
    try {
      const copies = await encodeBlob(app, blob);
      if (copies) encoded.push(copies);
    } catch (error) {
      failed.push({ sha256: blob.sha256, error });
    }
  });
  if (failed[0] && encoded.length === 0) await requireStore(app, failed[0].error);
  for (const { sha256, error } of failed) await stuck.fail(stuckName(organization_id, sha256), error);
  if (encoded.length > 0) await app.blobs.settle();
  await recordPortion(run, version, portion, encoded);
  return encoded.length;
}

/**
 * Distinguishes an outage, which ends the run, from content that cannot be encoded, which waits.
 * @throws while the store is down or full
 */
async function requireStore(app: App, error: unknown): Promise<void> {
  if (error instanceof AppError) throw error;
  await app.blobs.check();
}

async function recordPortion(
  { context, announcedAt }: Run,
  version: UnencodedVersion,
  { through, isLast }: EncodingPortion,
  encoded: readonly EncodedBlob[],
): Promise<void> {
  const isDue = performance.now() >= (announcedAt.get(version.id) ?? 0) + ANNOUNCED_EVERY_MS;
  const isAnnounced = isLast
    ? encoded.length > 0 || announcedAt.has(version.id)
    : encoded.length > 0 && isDue;
  await inUnitOfWork(context, async ({ trx, now, tellEdges }) => {
    await recordCopies(trx, version.organization_id, encoded, now);
    await trx
      .updateTable('site_versions')
      .set({ encoded_through: through, encoded_at: isLast ? now : null })
      .where('id', '=', version.id)
      .where('encoded_through', '=', version.encoded_through)
      .execute();
    if (isAnnounced) tellEdges({ site_id: version.site_id, hostname: null });
  });
  if (isLast) announcedAt.delete(version.id);
  else if (isAnnounced) announcedAt.set(version.id, performance.now());
}

/** In the order of their hashes, so that two writers never deadlock. */
async function recordCopies(
  executor: Executor,
  organizationId: string,
  encoded: readonly EncodedBlob[],
  now: number,
): Promise<void> {
  const ordered = [...encoded].sort((a, b) => (a.sha256 < b.sha256 ? -1 : 1));
  for (const { sha256, brotli_size, gzip_size } of ordered) {
    await executor
      .updateTable('organization_blobs')
      .set({ brotli_size, gzip_size, encoded_at: now })
      .where('organization_id', '=', organizationId)
      .where('sha256', '=', sha256)
      .execute();
  }
}

function stuckName(organizationId: string, sha256: string): string {
  return `${organizationId} ${sha256}`;
}

/** Retries what failed earlier, each at its time: the versions it belongs to have moved past it. */
function retryStuckContent(app: App, stopping?: AbortSignal): Promise<number> {
  return workThrough(app, {
    job: ENCODING_JOB,
    list: (after, limit) =>
      app.db
        .selectFrom('stuck_work')
        .select('item')
        .where('job', '=', ENCODING_JOB)
        .where('item', '>', after)
        .where('next_attempt_at', '<=', app.clock.now())
        .orderBy('item')
        .limit(limit)
        .execute(),
    nameOf: ({ item }) => item,
    work: ({ item }) => retryContent(app, item),
    stopping,
  });
}

/** Returns whether there was anything left to do. */
async function retryContent(app: App, item: string): Promise<boolean> {
  const [organizationId = '', sha256 = ''] = item.split(' ');
  const row = await app.db
    .selectFrom('organization_blobs')
    .select(['sha256', 'size'])
    .where('organization_id', '=', organizationId)
    .where('sha256', '=', sha256)
    .where('encoded_at', 'is', null)
    .executeTakeFirst();
  const copies = row ? await encodeBlob(app, row) : null;
  if (!copies) return false;
  await app.blobs.settle();
  await recordCopies(app.db, organizationId, [copies], app.clock.now());
  return true;
}
