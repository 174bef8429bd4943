import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isGone, isQuarantined, SpoolFolder } from './spool-folder.ts';

/** What the edges of this machine have counted and the database does not have yet. */
export interface WaitingUsage {
  folder: string;
  batches: number;
  bytes: number;
  /** When the oldest was written; null when nothing waits. */
  oldest_written_at: string | null;
  /** Batches that could not be read or applied. */
  quarantined: number;
}

/** Returns the usage that waits on the disk. It can be read while edges run, without disturbing them. */
export async function readWaitingUsage(root: string): Promise<WaitingUsage> {
  const orNone = (error: unknown): [] => {
    if (isGone(error)) return [];
    throw error;
  };
  const entries = await readdir(root, { withFileTypes: true }).catch(orNone);
  const files = [];
  for (const entry of entries.filter((one) => one.isDirectory())) {
    // A file that has just been sent or adopted is gone.
    files.push(...(await new SpoolFolder(join(root, entry.name)).find().catch(orNone)));
  }
  const oldest = Math.min(...files.map(({ writtenAt }) => writtenAt));
  return {
    folder: root,
    batches: files.length,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    oldest_written_at: files.length === 0 ? null : new Date(oldest).toISOString(),
    quarantined: entries.filter(({ name }) => isQuarantined(name)).length,
  };
}
