import { setTimeout as sleep } from 'node:timers/promises';

export interface LateWorkOptions {
  /** From the first addition to the first run: what is added meanwhile under the same name runs once. */
  readonly delayMs: number;
  /** Between two runs. */
  readonly pauseMs: number;
  readonly waitingMax: number;
  readonly onError: (error: unknown) => void;
}

/** Work that no request waits for: one piece at a time, in order, each name once. */
export class LateWork {
  private readonly options: LateWorkOptions;
  private readonly waiting = new Map<string, () => Promise<void>>();
  private running: Promise<void> | null = null;
  private readonly stopping = new AbortController();

  constructor(options: LateWorkOptions) {
    this.options = options;
  }

  get size(): number {
    return this.waiting.size;
  }

  /** Returns false, and does nothing, when too much waits already. */
  add(name: string, work: () => Promise<void>): boolean {
    if (this.stopping.signal.aborted) return false;
    const isKnown = this.waiting.delete(name);
    if (!isKnown && this.waiting.size >= this.options.waitingMax) return false;
    this.waiting.set(name, work);
    this.running ??= this.run();
    return true;
  }

  /** Resolves when nothing waits. */
  async idle(): Promise<void> {
    while (this.running !== null) await this.running;
  }

  /** Drops what waits, and resolves when what runs has ended. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.waiting.clear();
    await this.idle();
  }

  private async run(): Promise<void> {
    const { delayMs, pauseMs, onError } = this.options;
    await this.rest(delayMs);
    for (const [name, work] of this.waiting) {
      this.waiting.delete(name);
      await work().catch(onError);
      await this.rest(pauseMs);
    }
    this.running = null;
  }

  private async rest(ms: number): Promise<void> {
    const { signal } = this.stopping;
    if (ms > 0) await sleep(ms, undefined, { ref: false, signal }).catch(() => undefined);
  }
}
