import { statfs as systemStatfs } from 'node:fs/promises';
import { AppError, isNodeError, serviceUnavailable } from '#server/errors.ts';

/** Queries a file system; replaced in tests by one that returns other numbers. */
export type StatFileSystem = (
  path: string,
) => Promise<{ bsize: number; blocks: number; bavail: number; files?: number; ffree?: number }>;

/** The free space of a disk and how much of it is reserved. */
export interface DiskSpace {
  freeBytes: number;
  reserveBytes: number;
  /** How many files more fit on it, however small they are; null where that has no limit of its own. */
  freeInodes: number | null;
}

const MIB = 1024 ** 2;
/**
 * Without a setting: a twentieth of the disk within these limits, and never more than a quarter of a small
 * one.
 */
const SHARE = 0.05;
const RESERVE_BYTES_MIN = 256 * MIB;
const RESERVE_BYTES_MAX = 4096 * MIB;
const SMALL_DISK_SHARE = 0.25;
/** How long a response of the file system is valid; what is written meanwhile is counted here. */
export const LOOK_AGAIN_MS = 250;

/**
 * The space on a disk that uploads leave to everything else: the database's log, which cancelling and
 * cleaning need, and counted usage. An upload that would use it is rejected like one on a full disk.
 */
export class DiskReserve {
  private readonly directory: string;
  private readonly setBytes: number | null;
  private readonly statfs: StatFileSystem;
  private roomBytes = 0;
  private lookedAt = Number.NEGATIVE_INFINITY;
  private looking: Promise<void> | null = null;

  /** @param setBytes DISK_RESERVE_BYTES; null for a share of the disk */
  constructor(directory: string, setBytes: number | null = null, statfs: StatFileSystem = systemStatfs) {
    this.directory = directory;
    this.setBytes = setBytes;
    this.statfs = statfs;
  }

  /**
   * Returns when this many more bytes leave the reserve intact.
   * @throws storage_full; service_unavailable when the directory is gone, as when its disk is no longer mounted
   */
  async requireRoom(bytes: number): Promise<void> {
    const isOld = performance.now() - this.lookedAt > LOOK_AGAIN_MS;
    if (isOld || this.roomBytes < bytes) await this.look();
    if (this.roomBytes < bytes) throw new AppError('storage_full');
  }

  /**
   * The same for bytes that are about to be written.
   * @throws storage_full
   */
  async take(bytes: number): Promise<void> {
    await this.requireRoom(bytes);
    this.roomBytes -= bytes;
  }

  /** Returns the free and the reserved space. */
  async measure(): Promise<DiskSpace> {
    const { bsize, blocks, bavail, files = 0, ffree = 0 } = await this.statfs(this.directory);
    const freeInodes = files === 0 ? null : ffree;
    const totalBytes = blocks * bsize;
    // A file system without a size, like some network ones, has no visible limit.
    if (totalBytes === 0) return { freeBytes: Number.MAX_SAFE_INTEGER, reserveBytes: 0, freeInodes };
    const reserveBytes = this.setBytes ?? defaultReserve(totalBytes);
    return { freeBytes: bavail * bsize, reserveBytes, freeInodes };
  }

  private look(): Promise<void> {
    this.looking ??= this.measure()
      .then(({ freeBytes, reserveBytes }) => {
        this.roomBytes = freeBytes - reserveBytes;
        this.lookedAt = performance.now();
      })
      .catch((error: unknown) => {
        throw isNodeError(error) && error.code === 'ENOENT' ? serviceUnavailable(error) : error;
      })
      .finally(() => {
        this.looking = null;
      });
    return this.looking;
  }
}

function defaultReserve(totalBytes: number): number {
  const share = Math.min(Math.max(totalBytes * SHARE, RESERVE_BYTES_MIN), RESERVE_BYTES_MAX);
  return Math.floor(Math.min(share, totalBytes * SMALL_DISK_SHARE));
}
