import { mkdir, open, readdir, readFile, rename, rm, rmdir, stat, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { syncFolder, syncNewFolder } from '#db/sync-folder.ts';
import type { Config } from '../config/config.ts';
import { isNodeError } from '../errors.ts';
import { type UsageBatch, usageBatchSchema } from '../services/usage/schema.ts';
import type { OpenFile } from '../store/spool.ts';

/** A batch on the disk. */
export interface SpoolFile {
  sequence: number;
  bytes: number;
  /** Epoch milliseconds. */
  writtenAt: number;
}

/** Where the batches of a DATA_DIR wait. */
export function spoolFolderOf({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, 'usage-spool');
}

const BATCH_NAME = /^(\d{1,15})\.json$/;
const UNFINISHED = '.tmp';
const SET_ASIDE = '.bad';

/**
 * The batches of one run, one file each, named by their sequence. The process that holds the folder sends
 * them.
 */
export class SpoolFolder {
  readonly path: string;
  private readonly openFile: OpenFile;

  constructor(path: string, openFile: OpenFile = open) {
    this.path = path;
    this.openFile = openFile;
  }

  /** Creates the folder. It is created once: a folder that has disappeared belongs to another process. */
  async make(): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    await mkdir(this.path, { mode: 0o700 });
    // What waits in it is lost with its name.
    await syncNewFolder(dirname(this.path)).catch(() => undefined);
  }

  /**
   * Writes a batch to the disk completely or not at all, even in a crash; one of the same sequence is
   * replaced.
   */
  async write(sequence: number, text: string): Promise<void> {
    const unfinished = join(this.path, `${sequence}${UNFINISHED}`);
    try {
      const file = await this.openFile(unfinished, 'w', 0o600);
      try {
        await file.writeFile(text);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(unfinished, this.pathOf(sequence));
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => undefined);
      throw error;
    }
    // The file is in place; this only makes its name survive a power cut.
    await syncFolder(this.path).catch(() => undefined);
  }

  /** Returns a batch, or null for a file that contains none. @throws when it cannot be read */
  async read(sequence: number): Promise<UsageBatch | null> {
    const text = await readFile(this.pathOf(sequence), 'utf8');
    try {
      const parsed = usageBatchSchema.safeParse(JSON.parse(text));
      return parsed.success && parsed.data.sequence === sequence ? parsed.data : null;
    } catch {
      return null;
    }
  }

  async remove(sequence: number): Promise<void> {
    await rm(this.pathOf(sequence), { force: true });
  }

  /** Moves a file next to the folder, under a name that is never sent, and returns that name. */
  async quarantine(name: string): Promise<string> {
    const aside = `${basename(this.path)}-${name}${SET_ASIDE}`;
    await rename(join(this.path, name), join(dirname(this.path), aside));
    return aside;
  }

  /** Returns the batches by sequence, without those removed meanwhile. */
  async find(): Promise<SpoolFile[]> {
    const files: SpoolFile[] = [];
    for (const name of await readdir(this.path)) {
      const sequence = sequenceOf(name);
      const stats = sequence === 0 ? null : await stat(join(this.path, name)).catch(() => null);
      if (stats) files.push({ sequence, bytes: stats.size, writtenAt: stats.mtimeMs });
    }
    return files.sort((a, b) => a.sequence - b.sequence);
  }

  /** Removes what a crash left unfinished, and returns the names of files that are not batches. */
  async tidy(): Promise<string[]> {
    const others = (await readdir(this.path)).filter((name) => sequenceOf(name) === 0);
    for (const name of others) {
      if (name.endsWith(UNFINISHED)) await rm(join(this.path, name), { force: true });
    }
    return others.filter((name) => !name.endsWith(UNFINISHED));
  }

  /** Shows other processes that the folder is in use. */
  async touch(): Promise<void> {
    const now = Date.now() / 1000;
    await utimes(this.path, now, now);
  }

  /** Removes the folder if it is empty. */
  async removeIfEmpty(): Promise<void> {
    await rmdir(this.path).catch((error: unknown) => {
      const isMeant = isNodeError(error) && ['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(error.code ?? '');
      if (!isMeant) throw error;
    });
  }

  private pathOf(sequence: number): string {
    return join(this.path, `${sequence}.json`);
  }
}

function sequenceOf(name: string): number {
  return Number(BATCH_NAME.exec(name)?.[1] ?? 0);
}

/** Whether a file of the spool is a quarantined batch. */
export function isQuarantined(name: string): boolean {
  return name.endsWith(SET_ASIDE);
}

/** Whether an error says that a file or its folder does not exist. */
export function isGone(error: unknown): boolean {
  return isNodeError(error) && error.code === 'ENOENT';
}
