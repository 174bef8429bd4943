/**
 * Runs promises concurrently within a limit on their number and total bytes. `add` waits for room, so that
 * the reader feeding it slows down to the speed of the disk.
 */
export class BoundedTasks {
  private readonly countMax: number;
  private readonly bytesMax: number;
  private readonly running = new Set<Promise<void>>();
  private bytes = 0;
  private failure: { error: unknown } | null = null;

  constructor(countMax: number, bytesMax: number) {
    this.countMax = countMax;
    this.bytesMax = bytesMax;
  }

  /** Adds a running task, and resolves when there is room for another. @throws the first failure so far */
  async add(bytes: number, task: Promise<void>): Promise<void> {
    this.bytes += bytes;
    const tracked = task
      .catch((error: unknown) => {
        this.failure ??= { error };
      })
      .finally(() => {
        this.bytes -= bytes;
        this.running.delete(tracked);
      });
    this.running.add(tracked);
    while (this.running.size >= this.countMax || this.bytes > this.bytesMax) await Promise.race(this.running);
    this.throwFailure();
  }

  /** Resolves when all have ended, whatever the outcome. */
  async settle(): Promise<void> {
    await Promise.all(this.running);
  }

  /** Resolves when all have succeeded. @throws the first failure */
  async finish(): Promise<void> {
    await this.settle();
    this.throwFailure();
  }

  private throwFailure(): void {
    if (this.failure) throw this.failure.error;
  }
}
