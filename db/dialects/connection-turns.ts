/** How the connections of a process are shared. */
export interface ConnectionShares {
  /** How many the process holds. */
  atOnce: number;
  /** How many of them one asker may hold, so that another always finds one. */
  atOncePerAsker: number;
  /** How long one is waited for. */
  waitMs: number;
}

/** Work that nobody asked for is limited by the connections alone. */
const NOBODY = '';

interface Waiting {
  begin(): void;
}

/**
 * Gives out places at connections, askers taking turns: one with hundreds of requests, or whose requests wait for a
 * lock, delays others only by the statements already running.
 */
export class ConnectionTurns {
  private readonly shares: ConnectionShares;
  /** Askers who wait, the one to be served next first. */
  private readonly waiting = new Map<string, Set<Waiting>>();
  private readonly heldBy = new Map<string, number>();
  private held = 0;

  constructor(shares: ConnectionShares) {
    this.shares = shares;
  }

  /**
   * Resolves once the asker has a place, with a function that gives it back.
   * @param asker null when nobody asked
   * @throws "timeout exceeded when trying to connect", like a pool
   */
  async take(asker: string | null): Promise<() => void> {
    const key = asker ?? NOBODY;
    if (this.hasPlace(key)) this.hold(key);
    else await this.wait(key);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.giveBack(key);
    };
  }

  /** The place is held when this resolves. */
  private wait(key: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = {
        begin: () => {
          clearTimeout(deadline);
          resolve();
        },
      };
      const deadline = setTimeout(() => {
        const own = this.waiting.get(key);
        own?.delete(waiting);
        if (own?.size === 0) this.waiting.delete(key);
        reject(new Error('timeout exceeded when trying to connect'));
      }, this.shares.waitMs);
      const own = this.waiting.get(key);
      if (own) own.add(waiting);
      else this.waiting.set(key, new Set([waiting]));
    });
  }

  private giveBack(key: string): void {
    this.held -= 1;
    const left = (this.heldBy.get(key) ?? 1) - 1;
    if (left === 0) this.heldBy.delete(key);
    else this.heldBy.set(key, left);
    this.beginNext();
  }

  /** The first asker in the round that may hold another place gets it, and goes to the end of the round. */
  private beginNext(): void {
    for (const [key, own] of this.waiting) {
      if (!this.hasPlace(key)) continue;
      const [next] = own;
      this.waiting.delete(key);
      if (!next) continue;
      own.delete(next);
      if (own.size > 0) this.waiting.set(key, own);
      this.hold(key);
      next.begin();
      return;
    }
  }

  private hasPlace(key: string): boolean {
    const { atOnce, atOncePerAsker } = this.shares;
    return this.held < atOnce && (key === NOBODY || (this.heldBy.get(key) ?? 0) < atOncePerAsker);
  }

  private hold(key: string): void {
    this.held += 1;
    this.heldBy.set(key, (this.heldBy.get(key) ?? 0) + 1);
  }
}
