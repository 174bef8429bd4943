import { LRUCache } from 'lru-cache';
import type { Executor } from '#db/client.ts';
import type { App } from '#server/context.ts';
import type { S3Bucket } from '#server/s3/ports.ts';
import { S3Error } from '#server/s3/s3-error.ts';
import { isStorageStopped } from '../billing/spending/is-storage-stopped.ts';
import { findBucketUse, findLimits } from '../limits/limit-queries.ts';
import { UNFINISHED_MAX } from './rules.ts';

/** How long the sums of an organization are cached; what this process adds in the meantime is counted here. */
const KEPT_MS = 1_000;
const KEPT_MAX = 10_000;
/**
 * A look-up that takes this process longer is followed by a pause of this many times its length: others wait for it, and an organization that has
 * reached its limit could have it repeated with every request.
 */
const QUICK_MS = 10;
const RESTS = 20;

interface Room {
  readonly lookedAt: number;
  /** Milliseconds of `performance.now` until which it is not looked up again. */
  readonly restsUntil: number;
  readonly use: Record<keyof Growth, number>;
  readonly limit: Readonly<Record<keyof Growth, number>>;
  /** Whether a spending limit lets it store nothing more. */
  readonly isStopped: boolean;
}

/** By how much a write makes the buckets of its organization grow; less than nothing where it replaces more. */
export interface Growth {
  bytes: number;
  /** Objects, uploads that are not completed and their parts: each has a row, however few bytes it has. */
  items: number;
  /** Of them those that belong to uploads. */
  unfinished: number;
}

const roomsOf = new WeakMap<App, LRUCache<string, Room>>();

/**
 * Returns when the organization may store this much more. Two concurrent writes may exceed the limit by their own
 * size, and several processes by what they store in a second: reading the sums, or locking them, for each write would make every
 * write of an organization wait for every other.
 * @throws S3Error QuotaExceeded, AccountProblem at the spending limit
 */
export async function requireRoom(
  executor: Executor,
  app: App,
  bucket: S3Bucket,
  growth: Growth,
): Promise<void> {
  if (KINDS.every((kind) => growth[kind] <= 0)) return;
  let rooms = roomsOf.get(app);
  if (rooms === undefined) {
    rooms = new LRUCache({ max: KEPT_MAX });
    roomsOf.set(app, rooms);
  }
  const now = app.clock.now();
  let room = rooms.get(bucket.ownerId);
  const isOld = room === undefined || now - room.lookedAt > KEPT_MS || now < room.lookedAt;
  // Nothing is refused by what may have changed since: something was deleted, or a limit raised.
  const isDue = room === undefined || isOld || room.isStopped || exceeds(room, growth);
  if (room === undefined || (isDue && performance.now() >= room.restsUntil)) {
    room = await findRoom(executor, app, bucket.ownerId);
    rooms.set(bucket.ownerId, room);
  }
  if (room.isStopped) throw new S3Error('AccountProblem');
  if (exceeds(room, growth)) throw new S3Error('QuotaExceeded');
  for (const kind of KINDS) room.use[kind] += Math.max(0, growth[kind]);
}

const KINDS = ['bytes', 'items', 'unfinished'] as const satisfies (keyof Growth)[];

function exceeds({ use, limit }: Room, growth: Growth): boolean {
  return KINDS.some((kind) => growth[kind] > 0 && use[kind] + growth[kind] > limit[kind]);
}

async function findRoom(executor: Executor, app: App, organizationId: string): Promise<Room> {
  const started = process.threadCpuUsage();
  const limits = await findLimits(executor, app, organizationId);
  const { bytes, objects, unfinished } = await findBucketUse(executor, organizationId);
  const now = app.clock.now();
  const isStopped = await isStorageStopped(executor, organizationId, now);
  const { user, system } = process.threadCpuUsage(started);
  const tookMs = (user + system) / 1_000;
  return {
    lookedAt: now,
    restsUntil: performance.now() + (tookMs < QUICK_MS ? 0 : tookMs * RESTS),
    use: { bytes, items: objects + unfinished, unfinished },
    limit: { bytes: limits.bucket_bytes, items: limits.bucket_objects, unfinished: UNFINISHED_MAX },
    isStopped,
  };
}
