/** How many places there are. */
export interface PlaceLimits {
  /** For all keys together. */
  atOnce: number;
  /** For one key, so that another always finds a place. */
  atOncePerKey: number;
  /** The key that may hold every place. */
  unlimitedKey?: string;
}

type Begin = () => void;

/**
 * Gives out places, keys taking turns: one that asks for a thousand delays one that asks for a single place only by those that are
 * already held.
 */
export class FairPlaces {
  private readonly limits: PlaceLimits;
  /** Keys that wait, the one to be served next first. */
  private readonly waiting = new Map<string, Set<Begin>>();
  private readonly heldBy = new Map<string, number>();
  private held = 0;

  constructor(limits: PlaceLimits) {
    this.limits = limits;
  }

  /** Whether the key would get a place at once. */
  hasPlace(key: string): boolean {
    const { atOnce, atOncePerKey, unlimitedKey } = this.limits;
    return this.held < atOnce && (key === unlimitedKey || (this.heldBy.get(key) ?? 0) < atOncePerKey);
  }

  /** Returns how many places the key waits for. */
  waitingOf(key: string): number {
    return this.waiting.get(key)?.size ?? 0;
  }

  /**
   * Resolves once the key has a place, with a function that gives it back; calling that again does nothing.
   * @param deadline after how many milliseconds to reject, and with what; without it, the place is waited for
   */
  async take(key: string, deadline?: { waitMs: number; toError: () => Error }): Promise<() => void> {
    if (this.hasPlace(key)) this.hold(key);
    else await this.wait(key, deadline);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.giveBack(key);
    };
  }

  /** The place is held when this resolves. */
  private wait(key: string, deadline?: { waitMs: number; toError: () => Error }): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer);
        resolve();
      };
      const giveUp = () => {
        const own = this.waiting.get(key);
        own?.delete(begin);
        if (own?.size === 0) this.waiting.delete(key);
        if (deadline) reject(deadline.toError());
      };
      const timer = deadline && setTimeout(giveUp, deadline.waitMs);
      const own = this.waiting.get(key);
      if (own) own.add(begin);
      else this.waiting.set(key, new Set([begin]));
    });
  }

  private giveBack(key: string): void {
    this.held -= 1;
    const left = (this.heldBy.get(key) ?? 1) - 1;
    if (left === 0) this.heldBy.delete(key);
    else this.heldBy.set(key, left);
    this.beginNext();
  }

  /** The first key in the round that may hold another place gets it, and goes to the end of the round. */
  private beginNext(): void {
    for (const [key, own] of this.waiting) {
      if (!this.hasPlace(key)) continue;
      const [begin] = own;
      this.waiting.delete(key);
      if (!begin) continue;
      own.delete(begin);
      if (own.size > 0) this.waiting.set(key, own);
      this.hold(key);
      begin();
      return;
    }
  }

  private hold(key: string): void {
    this.held += 1;
    this.heldBy.set(key, (this.heldBy.get(key) ?? 0) + 1);
  }
}
