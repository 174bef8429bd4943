import { syncFolder } from '#db/sync-folder.ts';

/**
 * Makes renames in directories durable. Callers that arrive while a directory is being synced share its next
 * sync, so a thousand small files cost a handful of syncs.
 */
export class DirectorySyncer {
  private readonly running = new Map<string, Promise<void>>();
  private readonly waiting = new Map<string, Promise<void>>();

  /** Resolves after a sync that began after the call. */
  sync(directory: string): Promise<void> {
    const running = this.running.get(directory);
    if (!running) return this.start(directory);
    const waiting = this.waiting.get(directory);
    if (waiting) return waiting;
    const next = running
      .catch(() => undefined)
      .then(() => {
        this.waiting.delete(directory);
        return this.start(directory);
      });
    this.waiting.set(directory, next);
    return next;
  }

  private start(directory: string): Promise<void> {
    const sync = syncFolder(directory).finally(() => {
      if (this.running.get(directory) === sync) this.running.delete(directory);
    });
    this.running.set(directory, sync);
    return sync;
  }
}
