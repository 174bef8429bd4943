import { LRUCache } from 'lru-cache';
import type { Executor } from '#db/client.ts';
import type { App } from '#server/context.ts';
import type { S3Bucket } from '#server/s3/ports.ts';
import { S3Error } from '#server/s3/s3-error.ts';
import { isStorageStopped } from '../billing/is-storage-stopped.ts';
import { findUse } from '../limits/find-use.ts';

/** How long the sums of an organization are cached; what this process adds in the meantime is counted here. */
const KEPT_MS = 1_000;
const KEPT_MAX = 10_000;

interface Room {
  readonly lookedAt: number;
  used: number;
  readonly limit: number;
  /** Whether a spending limit lets it store nothing more. */
  readonly isStopped: boolean;
}

const roomsOf = new WeakMap<App, LRUCache<string, Room>>();

/**
 * Returns when the organization may store this many more bytes. Two concurrent writes may exceed the limit by their own
 * size, and several processes by what they store in a second: reading the sums, or locking them, for each write would make every
 * write of an organization wait for every other.
 * @throws S3Error QuotaExceeded, AccountProblem at the spending limit
 */
export async function requireRoom(
  executor: Executor,
  app: App,
  bucket: S3Bucket,
  bytes: number,
): Promise<void> {
  if (bytes <= 0) return;
  let rooms = roomsOf.get(app);
  if (rooms === undefined) {
    rooms = new LRUCache({ max: KEPT_MAX });
    roomsOf.set(app, rooms);
  }
  const now = app.clock.now();
  let room = rooms.get(bucket.ownerId);
  const isOld = room === undefined || now - room.lookedAt > KEPT_MS || now < room.lookedAt;
  // Nothing is refused by what may have changed since: something was deleted, or a limit raised.
  if (room === undefined || isOld || room.isStopped || room.used + bytes > room.limit) {
    const use = await findUse(executor, app, bucket.ownerId, 'bucket_bytes');
    room = { lookedAt: now, ...use, isStopped: await isStorageStopped(executor, bucket.ownerId, now) };
    rooms.set(bucket.ownerId, room);
  }
  if (room.isStopped) throw new S3Error('AccountProblem');
  if (room.used + bytes > room.limit) throw new S3Error('QuotaExceeded');
  room.used += bytes;
}
