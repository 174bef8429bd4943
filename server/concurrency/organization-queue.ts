import { AppError } from '../errors.ts';

/**
 * How much of one kind of work a process does at the same time, and how much of it one key may have waiting.
 */
export interface OrganizationQueueLimits {
  /** Of all keys together. */
  atOnce: number;
  /** Of one key, so that another always finds a place. */
  atOncePerKey: number;
  /** Waiting for one key; anything beyond that is refused. */
  waitingPerKeyMax: number;
}

/** When refused work may be retried: by then a few pieces of work have ended. */
const RETRY_AFTER_SECONDS = 5;

type Start = () => void;

/**
 * Runs work of many keys within limits, keys taking turns: one that brings a thousand pieces delays one that
 * brings a single piece only by the pieces already running.
 */
export class OrganizationQueue {
  private readonly limits: OrganizationQueueLimits;
  /** Keys with waiting work, the one to be served next first. */
  private readonly waiting = new Map<string, Start[]>();
  private readonly runningOf = new Map<string, number>();
  private running = 0;

  constructor(limits: OrganizationQueueLimits) {
    this.limits = limits;
  }

  /**
   * Returns the result of the work once its turn has come.
   * @throws organization_busy when too much of the key is already waiting
   */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    await this.enter(key);
    try {
      return await work();
    } finally {
      this.leave(key);
    }
  }

  /**
   * Requires that work of the key would be accepted: checked before reading a body that the work needs.
   * @throws organization_busy
   */
  requireRoom(key: string): void {
    if ((this.waiting.get(key)?.length ?? 0) >= this.limits.waitingPerKeyMax) {
      throw new AppError('organization_busy', { seconds: RETRY_AFTER_SECONDS });
    }
  }

  private async enter(key: string): Promise<void> {
    if (this.hasPlace(key)) {
      this.begin(key);
      return;
    }
    this.requireRoom(key);
    await new Promise<void>((resolve) => {
      const starts = this.waiting.get(key);
      if (starts) starts.push(resolve);
      else this.waiting.set(key, [resolve]);
    });
  }

  private leave(key: string): void {
    this.running -= 1;
    const left = (this.runningOf.get(key) ?? 1) - 1;
    if (left === 0) this.runningOf.delete(key);
    else this.runningOf.set(key, left);
    this.startNext();
  }

  /** The first key in the round that may run gets the place and goes to the end of the round. */
  private startNext(): void {
    for (const [key, starts] of this.waiting) {
      if (!this.hasPlace(key)) continue;
      this.waiting.delete(key);
      const start = starts.shift();
      if (starts.length > 0) this.waiting.set(key, starts);
      this.begin(key);
      start?.();
      return;
    }
  }

  private hasPlace(key: string): boolean {
    return this.running < this.limits.atOnce && (this.runningOf.get(key) ?? 0) < this.limits.atOncePerKey;
  }

  private begin(key: string): void {
    this.running += 1;
    this.runningOf.set(key, (this.runningOf.get(key) ?? 0) + 1);
  }
}
