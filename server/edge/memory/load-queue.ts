/** One owner has too many waiting tasks. */
export class LoadQueueFull extends Error {
  override name = 'LoadQueueFull';
}

/** Runs a few tasks at a time and takes owners in turn, so that one with many tasks delays no other. */
export class LoadQueue {
  private readonly runningMax: number;
  private readonly waitingMax: number;
  private readonly waiting = new Map<string, (() => void)[]>();
  private running = 0;

  /** @param waitingMax tasks of one owner */
  constructor(runningMax: number, waitingMax: number) {
    this.runningMax = runningMax;
    this.waitingMax = waitingMax;
  }

  /**
   * Returns the task's result, once it had its turn.
   * @throws LoadQueueFull
   */
  async run<T>(owner: string, task: () => Promise<T>): Promise<T> {
    if (this.running >= this.runningMax) await this.turnOf(owner);
    else this.running += 1;
    try {
      return await task();
    } finally {
      this.giveTurn();
    }
  }

  private turnOf(owner: string): Promise<void> {
    const waiting = this.waiting.get(owner) ?? [];
    if (waiting.length >= this.waitingMax) throw new LoadQueueFull(`${owner} has too many waiting tasks`);
    this.waiting.set(owner, waiting);
    return new Promise((resolve) => waiting.push(resolve));
  }

  /** Gives the place to the owner who has waited longest, or releases it. */
  private giveTurn(): void {
    const next = this.waiting.entries().next();
    if (next.done) {
      this.running -= 1;
      return;
    }
    const [owner, waiting] = next.value;
    const go = waiting.shift();
    this.waiting.delete(owner);
    if (waiting.length > 0) this.waiting.set(owner, waiting);
    go?.();
  }
}
