import { join } from 'node:path';
import { newId } from '../ids.ts';
import type { UsageBatch, UsageBatchRow } from '../services/usage/schema.ts';
import { isGone, SpoolFolder } from './spool-folder.ts';
import type { CollectedUsage } from './usage-collector.ts';
import { mergeRows } from './usage-rows.ts';
import type { FrozenBatch, SpoolParts } from './usage-spool.ts';

/**
 * Counted, and not yet on the disk. It gets a sequence when it is written, or when it has to be sent without
 * being written.
 */
interface UnwrittenUsage {
  hour: number;
  rows: UsageBatchRow[];
  since: number;
}

interface LocalBatch {
  readonly folder: SpoolFolder;
  readonly sequence: number;
  readonly hour: number;
  readonly since: number;
  bytes: number;
  isOnDisk: boolean;
  /** It may have been applied: from now on it must not change. */
  isFrozen: boolean;
  /** Null for a batch between the first and the last: it is read when its turn comes. */
  batch: UsageBatch | null;
}

/**
 * What this run of the process has counted, on its way through the disk. Batches are sent in order, because
 * the cursor in the database refuses what is not beyond it. The content of a folder belongs to the process
 * that holds the folder: when ours has been adopted, its batches belong to the new owner, and a new run
 * begins with its own folder.
 */
export class LocalBatches {
  private readonly parts: SpoolParts;
  private bootId = '';
  private folder: SpoolFolder;
  private isMade = false;
  private sequence = 0;
  /** On the disk, by sequence. */
  private files: LocalBatch[] = [];
  /** A batch that is sent from memory because the disk refuses writes; it goes before all files. */
  private carried: LocalBatch | null = null;
  private unwritten: UnwrittenUsage[] = [];
  /** Removed from `unwritten` and not yet on the disk. */
  private isWriting = false;
  private isRefused = false;

  constructor(parts: SpoolParts) {
    this.parts = parts;
    this.folder = this.renew();
  }

  /** The name of the folder in use. */
  get name(): string {
    return this.bootId;
  }

  /** Keeps collected usage in memory; `store` writes it to the disk. */
  add({ hour, rows }: CollectedUsage): void {
    if (rows.length === 0) return;
    const last = this.unwritten.at(-1);
    if (last?.hour === hour) last.rows = mergeRows(last.rows, rows);
    else this.unwritten.push({ hour, rows, since: this.parts.now() });
  }

  /** Writes what has been added. @throws when the disk refuses; everything is then still in memory */
  async store(): Promise<void> {
    try {
      if (this.carried !== null && !this.carried.isOnDisk) await this.writeCarried(this.carried);
      for (let first = this.unwritten.shift(); first !== undefined; first = this.unwritten.shift()) {
        this.isWriting = true;
        try {
          await this.write(first);
        } catch (error) {
          this.putBack(first);
          throw error;
        } finally {
          this.isWriting = false;
        }
      }
      this.isRefused = false;
    } catch (error) {
      this.isRefused = true;
      throw error;
    }
  }

  /** Returns the batch to send first, frozen; null when there is none. */
  async next(): Promise<FrozenBatch | null> {
    if (this.carried !== null) return this.toFrozen(this.carried, this.carried.batch);
    for (let head = this.files[0]; head !== undefined; head = this.files[0]) {
      head.isFrozen = true;
      try {
        head.batch ??= await head.folder.read(head.sequence);
      } catch (error) {
        if (!isGone(error)) throw error;
        this.renew();
        return null;
      }
      if (head.batch !== null) return this.toFrozen(head, head.batch);
      await this.quarantine(head, 'it cannot be read');
    }
    const first = this.isRefused ? this.unwritten.shift() : undefined;
    if (first === undefined) return null;
    this.sequence += 1;
    this.carried = {
      ...{ folder: this.folder, sequence: this.sequence, hour: first.hour, since: first.since },
      ...{ bytes: 0, isOnDisk: false, isFrozen: true },
      batch: this.toBatch(this.sequence, first.hour, first.rows),
    };
    return this.toFrozen(this.carried, this.carried.batch);
  }

  /** Begins a new run when the folder has been adopted; otherwise touches it to show that it is in use. */
  async touch(): Promise<void> {
    if (!this.isMade) return;
    try {
      await this.folder.touch();
    } catch (error) {
      if (!isGone(error)) throw error;
      this.renew();
    }
  }

  /** The waiting batches: how many, bytes on the disk, and since when. */
  get waiting(): { batches: number; bytes: number; unwritten: number; since: number | null } {
    const batches = this.carried === null ? this.files : [this.carried, ...this.files];
    const first = batches[0] ?? this.unwritten[0];
    return {
      batches: batches.length,
      bytes: batches.reduce((sum, { bytes }) => sum + bytes, 0),
      unwritten:
        this.unwritten.length + (this.isWriting ? 1 : 0) + (this.carried?.isOnDisk === false ? 1 : 0),
      since: first?.since ?? null,
    };
  }

  /** Removes the folder if nothing waits in it. */
  async close(): Promise<void> {
    if (this.isMade) await this.folder.removeIfEmpty();
  }

  /**
   * Begins a new run. A batch that was sent and not confirmed keeps its name and continues: those before it
   * have been applied.
   */
  private renew(): SpoolFolder {
    this.bootId = newId();
    this.folder = new SpoolFolder(join(this.parts.root, this.bootId), this.parts.openFile);
    this.isMade = false;
    this.sequence = 0;
    this.files = [];
    return this.folder;
  }

  /**
   * Adds to the last batch until it is sent, so that an outage leaves one file per hour; otherwise writes
   * another.
   */
  private async write(usage: UnwrittenUsage, isAgain = false): Promise<void> {
    const { hour, rows } = usage;
    const last = this.files.at(-1);
    const open = last !== undefined && !last.isFrozen && last.hour === hour ? last : null;
    const merged = open?.batch ? mergeRows(open.batch.rows, rows) : rows;
    const sequence = open?.batch ? open.sequence : this.sequence + 1;
    const batch = this.toBatch(sequence, hour, merged);
    const text = JSON.stringify(batch);
    const bytes = Buffer.byteLength(text);
    this.parts.requireRoom(bytes - (open?.batch ? open.bytes : 0));
    try {
      if (!this.isMade) await this.folder.make();
      this.isMade = true;
      await this.folder.write(sequence, text);
    } catch (error) {
      if (!isGone(error) || isAgain) throw error;
      this.renew();
      return this.write(usage, true);
    }
    if (open?.batch) {
      open.batch = batch;
      open.bytes = bytes;
      return;
    }
    this.sequence = sequence;
    if (last !== undefined && !last.isFrozen) last.batch = null;
    const { folder } = this;
    const state = { isOnDisk: true, isFrozen: false };
    this.files.push({ folder, sequence, hour, since: usage.since, bytes, ...state, batch });
  }

  private async writeCarried(carried: LocalBatch): Promise<void> {
    // We may not write to another run's folder; the batch then stays in memory.
    if (carried.folder !== this.folder) return;
    const text = JSON.stringify(carried.batch);
    if (!this.isMade) await carried.folder.make();
    this.isMade = true;
    await carried.folder.write(carried.sequence, text);
    carried.isOnDisk = true;
    carried.bytes = Buffer.byteLength(text);
  }

  private putBack(usage: UnwrittenUsage): void {
    const next = this.unwritten[0];
    if (next?.hour !== usage.hour) this.unwritten.unshift(usage);
    else {
      next.rows = mergeRows(usage.rows, next.rows);
      next.since = usage.since;
    }
  }

  private toBatch(sequence: number, hour: number, rows: UsageBatchRow[]): UsageBatch {
    return { node_id: this.parts.nodeId, boot_id: this.bootId, sequence, hour, rows };
  }

  private toFrozen(own: LocalBatch, batch: UsageBatch | null): FrozenBatch | null {
    if (batch === null) return null;
    return {
      batch,
      release: async () => {
        this.forget(own);
        if (own.isOnDisk) await own.folder.remove(own.sequence);
      },
      quarantine: (reason) => this.quarantine(own, reason),
    };
  }

  private async quarantine(own: LocalBatch, reason: string): Promise<void> {
    this.forget(own);
    if (!own.isOnDisk) await own.folder.write(own.sequence, JSON.stringify(own.batch));
    await this.parts.quarantine(own.folder, `${own.sequence}.json`, reason);
  }

  private forget(own: LocalBatch): void {
    if (this.carried === own) this.carried = null;
    this.files = this.files.filter((file) => file !== own);
  }
}
