import { LRUCache } from 'lru-cache';
import type { App } from '#server/context.ts';
import type { S3Bucket } from '#server/s3/ports.ts';
import { S3Error } from '#server/s3/s3-error.ts';
import { isStorageStopped } from '../billing/spending/is-storage-stopped.ts';
import { findLimits, findStored } from '../limits/limit-queries.ts';
import { UNFINISHED_MAX } from './rules.ts';
import { sumUnfinished } from './uploads/sum-unfinished.ts';

/** How long the sums of an organization are cached; what this process adds in the meantime is counted here. */
const KEPT_MS = 1_000;
const KEPT_MAX = 10_000;
/**
 * A look-up in more reads than a few is followed by a pause of so long for each of them, some twenty times what it takes: an organization that
 * has reached its limit could have it repeated with every request.
 */
const QUICK_READS = 4;
const PAUSE_OF_READ_MS = 40;

interface Room {
  readonly lookedAt: number;
  /** Milliseconds of `performance.now` until which it is not looked up again. */
  readonly restsUntil: number;
  readonly use: Record<Kind, number>;
  readonly limit: Readonly<Record<Kind, number>>;
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

type Kind = keyof Growth;
const KINDS = ['bytes', 'items', 'unfinished'] as const satisfies Kind[];

/** What this process has counted of an organization. */
interface Owner {
  room: Room | null;
  looking: Promise<Room> | null;
  /** What was taken during the current look-up, which may not see it. */
  takenMeanwhile: Record<Kind, number>;
}

const ownersOf = new WeakMap<App, LRUCache<string, Owner>>();

/**
 * Runs a write that calls `requireRoom` in its transaction. The room of the organization is looked up before, and again when it is refused:
 * something may have been deleted since, or a limit raised. The look-up of an organization with thousands of unfinished parts takes
 * turns with other work, which a transaction could not.
 */
export async function withRoom<T>(
  app: App,
  { ownerId }: Pick<S3Bucket, 'ownerId'>,
  write: () => Promise<T>,
): Promise<T> {
  const known = await freshRoom(app, ownerId);
  try {
    return await write();
  } catch (error) {
    const isRefusal =
      error instanceof S3Error && (error.code === 'QuotaExceeded' || error.code === 'AccountProblem');
    if (!isRefusal || (await lookUp(app, ownerId)) === known) throw error;
    return write();
  }
}

/**
 * Takes room for a write, inside its transaction. Two concurrent writes may exceed the limit by their own size, and several
 * processes by what they store in a second: reading the sums, or locking them, for each write would make every write of an
 * organization wait for every other.
 * @throws S3Error QuotaExceeded, AccountProblem at the spending limit
 */
export function requireRoom(app: App, { ownerId }: Pick<S3Bucket, 'ownerId'>, growth: Growth): void {
  if (KINDS.every((kind) => growth[kind] <= 0)) return;
  const { room, takenMeanwhile } = ownerOf(app, ownerId);
  // More organizations than are kept have written since it was looked up.
  if (room === null) throw new S3Error('SlowDown');
  if (room.isStopped) throw new S3Error('AccountProblem');
  if (exceeds(room, growth)) throw new S3Error('QuotaExceeded');
  for (const kind of KINDS) {
    const taken = Math.max(0, growth[kind]);
    room.use[kind] += taken;
    takenMeanwhile[kind] += taken;
  }
}

function exceeds({ use, limit }: Room, growth: Growth): boolean {
  return KINDS.some((kind) => growth[kind] > 0 && use[kind] + growth[kind] > limit[kind]);
}

function ownerOf(app: App, organizationId: string): Owner {
  let owners = ownersOf.get(app);
  if (owners === undefined) {
    owners = new LRUCache({ max: KEPT_MAX });
    ownersOf.set(app, owners);
  }
  let owner = owners.get(organizationId);
  if (owner === undefined) {
    owner = { room: null, looking: null, takenMeanwhile: { bytes: 0, items: 0, unfinished: 0 } };
    owners.set(organizationId, owner);
  }
  return owner;
}

async function freshRoom(app: App, organizationId: string): Promise<Room> {
  const { room, looking } = ownerOf(app, organizationId);
  const now = app.clock.now();
  if (room !== null && now - room.lookedAt <= KEPT_MS && now >= room.lookedAt) return room;
  return looking ?? lookUp(app, organizationId);
}

/** Looks a room up, from now on; writes that ask at the same time share it. Returns the known one while that rests. */
async function lookUp(app: App, organizationId: string): Promise<Room> {
  const owner = ownerOf(app, organizationId);
  // One that has begun may not see what its caller has deleted.
  if (owner.looking !== null) await owner.looking.catch(() => undefined);
  if (owner.room !== null && performance.now() < owner.room.restsUntil) return owner.room;
  owner.looking ??= findRoom(app, organizationId, owner).finally(() => {
    owner.looking = null;
  });
  return owner.looking;
}

async function findRoom(app: App, organizationId: string, owner: Owner): Promise<Room> {
  const { db } = app;
  const lookedAt = app.clock.now();
  owner.takenMeanwhile = { bytes: 0, items: 0, unfinished: 0 };
  const limits = await findLimits(db, app, organizationId);
  const stored = await findStored(db, organizationId);
  const unfinished = await sumUnfinished(db, organizationId);
  const isStopped = await isStorageStopped(db, organizationId, lookedAt);
  const taken = owner.takenMeanwhile;
  owner.room = {
    lookedAt,
    restsUntil:
      performance.now() + (unfinished.reads > QUICK_READS ? unfinished.reads * PAUSE_OF_READ_MS : 0),
    use: {
      bytes: stored.bytes + unfinished.bytes + taken.bytes,
      items: stored.objects + unfinished.items + taken.items,
      unfinished: unfinished.items + taken.unfinished,
    },
    limit: { bytes: limits.bucket_bytes, items: limits.bucket_objects, unfinished: UNFINISHED_MAX },
    isStopped,
  };
  return owner.room;
}
