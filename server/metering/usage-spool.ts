import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../ids.ts';
import { createLogThrottle } from '../logging/log-throttle.ts';
import type { Logger } from '../logging/logger.ts';
import type { UsageBatch } from '../services/usage/schema.ts';
import type { ReserveFile } from '../store/room/reserve-file.ts';
import { isDiskFull, type OpenFile } from '../store/spool.ts';
import { AdoptedBatches } from './adopted-batches.ts';
import { LocalBatches } from './local-batches.ts';
import type { SpoolFolder } from './spool-folder.ts';
import type { CollectedUsage } from './usage-collector.ts';
import { isCountable } from './usage-rows.ts';

/** A batch on its way to the database: it is resent unchanged. */
export interface FrozenBatch {
  batch: UsageBatch;
  /** It has been applied: it need not be kept. */
  release(): Promise<void>;
  /** It can never be applied: it is quarantined for a person to inspect. */
  quarantine(reason: string): Promise<void>;
}

/** The batch to send first. */
export interface NextBatch extends FrozenBatch {
  /** Counted by this run of the process, not left by another. */
  isOwn: boolean;
}

/** What waits to be applied. */
export interface Backlog {
  batches: number;
  /** On the disk. */
  bytes: number;
  /** How many of the batches are only in memory. */
  unwritten: number;
  /** Epoch milliseconds of the oldest; null when nothing waits. */
  since: number | null;
}

export interface SpoolOptions {
  /** The folder of the spool; processes that share it adopt what others leave. */
  root: string;
  logger: Logger;
  now: () => number;
  /** Milliseconds of a monotonic clock. */
  monotonic: () => number;
  /** Beyond this nothing more is written to the disk. */
  bytesMax: number;
  /** Released when the disk is full, so that what is counted then can still be written. */
  reserve?: ReserveFile;
  openFile?: OpenFile;
}

/** What both kinds of batches need. */
export interface SpoolParts extends Omit<SpoolOptions, 'bytesMax' | 'reserve'> {
  nodeId: string;
  /** @throws when the spool would grow beyond its limit */
  requireRoom(bytes: number): void;
  quarantine(folder: SpoolFolder, name: string, reason: string): Promise<void>;
}

/** The disk between counting and the database. Its operations never overlap. */
export class UsageSpool {
  private readonly logger: Logger;
  private readonly own: LocalBatches;
  private readonly adopted: AdoptedBatches;
  private readonly mayLog: (subject: string) => boolean;
  private readonly reserve: ReserveFile | null;
  private last: Promise<unknown> = Promise.resolve();
  quarantinedCount = 0;

  private constructor(options: SpoolOptions, nodeId: string) {
    const { bytesMax, reserve = null, ...rest } = options;
    this.reserve = reserve;
    this.logger = options.logger;
    this.mayLog = createLogThrottle(options.monotonic);
    const parts: SpoolParts = {
      ...rest,
      nodeId,
      requireRoom: (bytes) => {
        if (this.backlog.bytes + bytes > bytesMax) {
          throw new Error(`the spool holds ${this.backlog.bytes} bytes, which is its limit`);
        }
      },
      quarantine: async (folder, name, reason) => {
        const file = await folder.quarantine(name);
        this.quarantinedCount += 1;
        this.logger.error({ file, reason }, 'a usage batch was quarantined and is not counted');
      },
    };
    this.own = new LocalBatches(parts);
    this.adopted = new AdoptedBatches(parts);
  }

  /**
   * Returns the spool of this process, including what earlier ones have left. A disk that refuses writes does
   * not prevent a start.
   */
  static async open(options: SpoolOptions): Promise<UsageSpool> {
    const nodeId = await findNodeId(options);
    const spool = new UsageSpool(options, nodeId);
    await spool.look({ isStart: true });
    return spool;
  }

  get backlog(): Backlog {
    const { own, adopted } = { own: this.own.waiting, adopted: this.adopted.waiting };
    const starts = [own.since, adopted.since].filter((since) => since !== null);
    return {
      batches: own.batches + adopted.batches,
      bytes: own.bytes + adopted.bytes,
      unwritten: own.unwritten,
      since: starts.length === 0 ? null : Math.min(...starts),
    };
  }

  /** Changes when batches of this run are out of sight: another process sends them now, or none does. */
  get lossMark(): string {
    return `${this.own.name} ${this.quarantinedCount}`;
  }

  /**
   * Keeps collected usage in memory until it is stored. An invalid row would get its whole batch refused, and
   * all other counts with it, so it is left out.
   */
  add({ hour, rows }: CollectedUsage): void {
    const nonsense = rows.filter((row) => !isCountable(row));
    this.quarantinedCount += nonsense.length;
    for (const row of nonsense) {
      if (!this.mayLog('nonsense')) break;
      this.logger.error({ hour, row }, 'a count of a host is not a number and is left out');
    }
    this.own.add({ hour, rows: nonsense.length === 0 ? rows : rows.filter(isCountable) });
  }

  /**
   * Writes what has been added, using the reserve if necessary. What the disk refuses stays in memory and is
   * sent from there.
   */
  async store(): Promise<void> {
    await this.inTurn(() => this.storeOwn()).catch((error: unknown) =>
      this.complain(
        error,
        'usage cannot be written to the disk; it waits in memory and would not outlive a crash',
      ),
    );
  }

  /**
   * Returns the batch to send first: what earlier runs left, then our own; null when none is available now.
   */
  async next(): Promise<NextBatch | null> {
    try {
      const found = await this.inTurn(async () => {
        const adopted = await this.adopted.next();
        const next = adopted ?? (await this.own.next());
        return next && { ...next, isOwn: adopted === null };
      });
      if (found === null) return null;
      return {
        batch: found.batch,
        isOwn: found.isOwn,
        release: () => this.inTurn(() => found.release()).catch(this.complainOf('an applied usage batch')),
        quarantine: (reason) =>
          this.inTurn(() => found.quarantine(reason)).catch(this.complainOf('a refused usage batch')),
      };
    } catch (error) {
      this.complain(error, 'a usage batch cannot be read from the disk');
      return null;
    }
  }

  /** Shows that this process is alive, and now and then adopts what others have left. */
  async look({
    isStart = false,
    adopts = isStart,
  }: {
    isStart?: boolean;
    adopts?: boolean;
  } = {}): Promise<void> {
    await this.inTurn(async () => {
      await this.own.touch();
      await this.adopted.touch();
      if (!adopts) return;
      await this.adopted.adopt(this.own.name, { isStart });
      // Reserved again only when no batch waits that could need the space. A full disk shows when a batch is
      // written.
      if (this.backlog.batches === 0) await this.reserve?.hold().catch(() => undefined);
    }).catch((error: unknown) => this.complain(error, 'the folder of usage cannot be read'));
  }

  /** Leaves no empty folder behind. */
  async close(): Promise<void> {
    await this.inTurn(() => this.own.close()).catch(this.complainOf('the folder of usage'));
  }

  private async storeOwn(): Promise<void> {
    try {
      await this.own.store();
    } catch (error) {
      if (!isDiskFull(error) || !(await this.reserve?.release())) throw error;
      this.complain(error, 'the disk is full: the reserve of usage was given back');
      await this.own.store();
    }
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.last.then(work);
    this.last = result.catch(() => undefined);
    return result;
  }

  private complain(error: unknown, sentence: string): void {
    if (this.mayLog(sentence)) this.logger.error({ err: error }, sentence);
  }

  private complainOf(subject: string): (error: unknown) => void {
    return (error) => this.complain(error, `${subject} cannot be removed from the disk`);
  }
}

const NODE_ID = /^[0-9a-z]{26}$/;

/** Returns the name of this machine in the database: created once and kept next to the batches. */
async function findNodeId({ root, logger }: SpoolOptions): Promise<string> {
  const path = join(root, 'node-id');
  const read = async () => (await readFile(path, 'utf8').catch(() => '')).trim();
  const known = await read();
  if (NODE_ID.test(known)) return known;
  const made = newId();
  try {
    await mkdir(root, { recursive: true, mode: 0o700 });
    await writeFile(`${path}.${made}.tmp`, `${made}\n`, { mode: 0o600, flush: true });
    await rename(`${path}.${made}.tmp`, path);
    // Of two processes that start at the same time, the last one decides for both.
    return NODE_ID.test(await read()) ? await read() : made;
  } catch (error) {
    logger.error({ err: error }, 'the usage folder cannot be written; this run counts under its own name');
    return made;
  }
}
