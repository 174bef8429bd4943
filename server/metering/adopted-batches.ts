import { readdir, rename, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { newId } from '../ids.ts';
import { isGone, type SpoolFile, SpoolFolder } from './spool-folder.ts';
import type { FrozenBatch, SpoolParts } from './usage-spool.ts';

interface AdoptedFolder {
  folder: SpoolFolder;
  files: SpoolFile[];
  /** Monotonic. An owner that is still alive may be in the middle of a write that lands here. */
  readableAt: number;
  isRead: boolean;
}

interface Seen {
  mtimeMs: number;
  /** Monotonic: when the folder was first seen with this modification time. */
  at: number;
}

/** A folder untouched for this long has no owner any more; owners touch theirs every few seconds. */
const ABANDONED_AFTER_MS = 60_000;
const SETTLE_MS = 1_000;
/** How long an unreadable folder is left alone. */
const UNREADABLE_MS = 60_000;

/**
 * What earlier runs, and siblings that died, have left on the disk. A folder is adopted by renaming it,
 * which only one process can do. Its batches are sent unchanged, under the names of the run that counted
 * them.
 */
export class AdoptedBatches {
  private readonly parts: SpoolParts;
  private readonly seen = new Map<string, Seen>();
  private folders: AdoptedFolder[] = [];

  constructor(parts: SpoolParts) {
    this.parts = parts;
  }

  /**
   * Adopts folders that have no owner; with `isStart`, all but our own, because a live sibling simply
   * creates a new one.
   */
  async adopt(ownName: string, { isStart }: { isStart: boolean }): Promise<void> {
    const { root, monotonic, logger } = this.parts;
    const mine = new Set([ownName, ...this.folders.map(({ folder }) => basename(folder.path))]);
    const entries = await readdir(root, { withFileTypes: true });
    const names = entries.filter((entry) => entry.isDirectory() && !mine.has(entry.name));
    for (const { name } of names.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      try {
        const { mtimeMs } = await stat(join(root, name));
        const known = this.seen.get(name);
        if (known?.mtimeMs !== mtimeMs) this.seen.set(name, { mtimeMs, at: monotonic() });
        const isAbandoned = known?.mtimeMs === mtimeMs && monotonic() - known.at >= ABANDONED_AFTER_MS;
        if (isStart || isAbandoned) await this.take(name);
      } catch (error) {
        // Or another process was faster. One folder in trouble must not block the others.
        if (!isGone(error)) logger.error({ err: error, name }, 'usage of an earlier run cannot be adopted');
      }
    }
    const present = new Set(names.map(({ name }) => name));
    for (const name of this.seen.keys()) if (!present.has(name)) this.seen.delete(name);
  }

  /** Returns the batch to send first, or null when there is none. */
  async next(): Promise<FrozenBatch | null> {
    for (const adopted of [...this.folders]) {
      if (this.parts.monotonic() < adopted.readableAt) continue;
      try {
        const found = await this.nextOf(adopted);
        if (found !== null) return found;
        await adopted.folder.removeIfEmpty();
        this.drop(adopted);
      } catch (error) {
        if (isGone(error)) this.drop(adopted);
        else {
          adopted.readableAt = this.parts.monotonic() + UNREADABLE_MS;
          this.parts.logger.error({ err: error }, 'usage of an earlier run cannot be read from the disk');
        }
      }
    }
    return null;
  }

  /** Shows other processes that the adopted folders have an owner. */
  async touch(): Promise<void> {
    for (const adopted of [...this.folders]) {
      try {
        await adopted.folder.touch();
      } catch (error) {
        if (!isGone(error)) throw error;
        this.drop(adopted);
      }
    }
  }

  /** The waiting batches: how many, their bytes, and since when. */
  get waiting(): { batches: number; bytes: number; since: number | null } {
    const files = this.folders.flatMap((adopted) => adopted.files);
    return {
      batches: files.length,
      bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
      since: files.length === 0 ? null : Math.min(...files.map(({ writtenAt }) => writtenAt)),
    };
  }

  private async take(name: string): Promise<void> {
    const { root, openFile, monotonic, logger } = this.parts;
    const folder = new SpoolFolder(join(root, newId()), openFile);
    await rename(join(root, name), folder.path);
    this.seen.delete(name);
    await folder.touch();
    const files = await folder.find();
    this.folders.push({ folder, files, readableAt: monotonic() + SETTLE_MS, isRead: false });
    if (files.length > 0) logger.info({ batches: files.length }, 'sending usage of an earlier run');
  }

  private async nextOf(adopted: AdoptedFolder): Promise<FrozenBatch | null> {
    const { folder } = adopted;
    if (!adopted.isRead) {
      for (const name of await folder.tidy()) await this.parts.quarantine(folder, name, 'it is not a batch');
      adopted.files = await folder.find();
      adopted.isRead = true;
    }
    for (let head = adopted.files[0]; head !== undefined; head = adopted.files[0]) {
      const { sequence } = head;
      const batch = await folder.read(sequence);
      const forget = () => {
        adopted.files = adopted.files.filter((file) => file.sequence !== sequence);
      };
      const quarantine = async (reason: string) => {
        forget();
        await this.parts.quarantine(folder, `${sequence}.json`, reason);
      };
      if (batch === null) await quarantine('it cannot be read');
      else {
        const release = async () => {
          forget();
          await folder.remove(sequence);
        };
        return { batch, release, quarantine };
      }
    }
    return null;
  }

  private drop(adopted: AdoptedFolder): void {
    this.folders = this.folders.filter((other) => other !== adopted);
  }
}
