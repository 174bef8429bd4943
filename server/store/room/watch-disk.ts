import { dirname, join } from 'node:path';
import type { Config } from '#server/config/config.ts';
import type { Logger } from '#server/logging/logger.ts';
import { DiskReserve } from './disk-reserve.ts';
import { ReserveFile } from './reserve-file.ts';

const LOOK_EVERY_MS = 1_000;
/** Enough for the log of a transaction that deletes the largest version. */
const HELD_BYTES_MAX = 64 * 1024 ** 2;
/** The reserved file is a share of the reserve; it is released when less than a share of it is free. */
const HELD_SHARE = 0.25;
const RELEASE_BELOW = 0.25;
/** It is created again when this many times its size are free. */
const HOLD_ABOVE = 3;

const SQLITE = 'sqlite:';

/** Returns the reserve of the disk with the database file; null when the database is a separate server. */
export function databaseReserve(config: Config): DiskReserve | null {
  if (!config.databaseUrl.startsWith(SQLITE)) return null;
  return new DiskReserve(dirname(config.databaseUrl.slice(SQLITE.length)), config.diskReserveBytes);
}

/**
 * Holds a file next to the database and releases it once the disk is full, for whatever reason, so that the
 * database can still write: cancelling, deleting and the collector need that to free anything. `stop` leaves
 * the file where it is.
 */
export async function watchDisk(
  config: Config,
  reserve: DiskReserve,
  logger: Logger,
): Promise<{ stop(): void }> {
  const { reserveBytes } = await reserve.measure();
  const bytes = Math.min(HELD_BYTES_MAX, Math.floor(reserveBytes * HELD_SHARE));
  const path = join(dirname(config.databaseUrl.slice(SQLITE.length)), 'disk-reserve');
  const file = new ReserveFile(path, bytes);
  const look = async (): Promise<void> => {
    const { freeBytes } = await reserve.measure();
    if (freeBytes < bytes * RELEASE_BELOW) {
      if (await file.release()) {
        logger.error({ freeBytes, path }, 'the disk is full: the reserve beside the database was given back');
      }
    } else if (freeBytes > bytes * HOLD_ABOVE) await file.hold();
  };
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const lookAgain = async (): Promise<void> => {
    await look().catch((error: unknown) =>
      logger.error({ err: error, path }, 'the reserve of the disk cannot be kept'),
    );
    if (!isStopped) timer = setTimeout(() => void lookAgain(), LOOK_EVERY_MS).unref();
  };
  await lookAgain();
  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
