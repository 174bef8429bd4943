/** How long a piece of long work keeps the event loop before other work runs. */
export const SLICE_MS = 8;

type Resume = () => void;

/**
 * Shares the event loop among long pieces of work. Each works for {@link SLICE_MS} and then yields; of those
 * that want to continue, one does in each turn of the loop, keys taking turns. However many there are, other
 * work waits for at most one.
 */
export class TimeSlices {
  private readonly waiting = new Map<string, Resume[]>();
  private isScheduled = false;

  /** Returns the slices of one piece of work. */
  begin(key: string): Slice {
    return new Slice(() => this.next(key));
  }

  private next(key: string): Promise<void> {
    return new Promise((resolve) => {
      const resumes = this.waiting.get(key);
      if (resumes) resumes.push(resolve);
      else this.waiting.set(key, [resolve]);
      this.schedule();
    });
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.resumeOne();
      if (this.waiting.size > 0) this.schedule();
    });
  }

  private resumeOne(): void {
    for (const [key, resumes] of this.waiting) {
      this.waiting.delete(key);
      const resume = resumes.shift();
      if (resumes.length > 0) this.waiting.set(key, resumes);
      resume?.();
      return;
    }
  }
}

/** One piece of long work and the time since it was last resumed. */
export class Slice {
  private readonly next: () => Promise<void>;
  private startedAt = performance.now();

  constructor(next: () => Promise<void>) {
    this.next = next;
  }

  /** Yields to other work if this slice is used up. */
  async breathe(): Promise<void> {
    if (this.isUsedUp()) await this.giveWay();
  }

  /** Yields to other work: before a step that uses up a slice by itself. */
  async giveWay(): Promise<void> {
    await this.next();
    this.startedAt = performance.now();
  }

  /** Runs a generator to its end, yielding between its short steps, and returns its result. */
  async run<T>(steps: Generator<unknown, T, undefined>): Promise<T> {
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
      if (this.isUsedUp()) await this.breathe();
    }
  }

  private isUsedUp(): boolean {
    return performance.now() - this.startedAt >= SLICE_MS;
  }
}
