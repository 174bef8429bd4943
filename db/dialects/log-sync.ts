import { closeSync, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';

/** Resolves when everything written to an open file so far is on disk. */
export type SyncFile = (descriptor: number) => Promise<void>;

/**
 * Syncs the log of a database on libuv's threads, so that the event loop does not wait for a slow disk. One
 * sync runs at a time, and everything that is committed meanwhile shares the next one.
 */
export class LogSync {
  /** How long the last one took; 0 before the first. */
  lastMs = 0;
  private readonly path: string;
  private readonly syncFile: SyncFile;
  private descriptor: number | null = null;
  private failure: { error: unknown } | null = null;
  private running: Promise<void> | null = null;
  private next: Promise<void> | null = null;

  /** @param path of the log, which exists from the first commit on, for as long as the database is open */
  constructor(path: string, syncFile: SyncFile = promisify(fdatasync)) {
    this.path = path;
    this.syncFile = syncFile;
  }

  /**
   * Whether a sync has failed: the system may then take for written what is not, and a later sync would not
   * say so.
   */
  get isDoubtful(): boolean {
    return this.failure !== null;
  }

  /**
   * Whether the log could be opened, as {@link sync} requires. A commit has to know it beforehand: without a
   * free file descriptor, the commit itself can still wait for the disk.
   */
  open(): boolean {
    try {
      this.descriptor ??= openSync(this.path, 'r');
      return true;
    } catch {
      return false;
    }
  }

  /**
   * Resolves when everything that is in the log now is on disk. The log has to be open.
   * @throws the error of the disk, from the first sync that fails until {@link trustAgain}
   */
  sync(): Promise<void> {
    if (this.failure) return Promise.reject(this.failure.error);
    if (!this.running) return this.start();
    this.next ??= this.running.then(() => this.start());
    return this.next;
  }

  /** Called when a commit's own sync has failed: what deferred commits have written before may not be on disk. */
  distrust(error: unknown): void {
    this.failure ??= { error };
  }

  /** Called when nothing of the log is needed any more. */
  trustAgain(): void {
    this.failure = null;
  }

  /** Resolves when no sync runs or is waiting. */
  async finish(): Promise<void> {
    while (this.running) await this.running.catch(() => undefined);
  }

  close(): void {
    if (this.descriptor !== null) closeSync(this.descriptor);
    this.descriptor = null;
  }

  private start(): Promise<void> {
    this.next = null;
    const running = this.run().finally(() => {
      if (this.running === running) this.running = null;
    });
    this.running = running;
    return running;
  }

  private async run(): Promise<void> {
    const startedAt = performance.now();
    try {
      if (this.descriptor === null) throw new Error('The log is not open');
      await this.syncFile(this.descriptor);
    } catch (error) {
      this.next = null;
      this.failure = { error };
      throw error;
    }
    this.lastMs = performance.now() - startedAt;
  }
}
