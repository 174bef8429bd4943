/**
 * Runs promises side by side within a number and a sum of bytes. `add` waits for room, so that the reader in front of it
 * is slowed down to the speed of the disk.
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

  /** Takes a task that has begun, and returns when there is room for another. @throws the first failure so far */
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

  /** Returns when all have ended, whatever became of them. */
  async settle(): Promise<void> {
    await Promise.all(this.running);
  }

  /** Returns when all have ended well. @throws the first failure */
  async finish(): Promise<void> {
    await this.settle();
    this.throwFailure();
  }

  private throwFailure(): void {
    if (this.failure) throw this.failure.error;
  }
}
