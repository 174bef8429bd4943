import { LRUCache } from 'lru-cache';

/** Requests one address may take back unanswered at once, and every second from then on, over all of its connections. */
const burst = 300;
const perSecond = 50;
const addressesMax = 10_000;

interface Allowance {
  left: number;
  /** Epoch milliseconds. */
  countedAt: number;
}

/**
 * Tells visitors who go on from programs that ask and take back for nothing (CVE-2023-44487): a browser that leaves a page takes
 * back what it had asked for, once. Each connection has such a bound of its own; this one is for many connections together.
 */
export class HastyVisitors {
  private readonly allowances = new LRUCache<string, Allowance>({ max: addressesMax });
  private readonly now: () => number;

  constructor(now: () => number) {
    this.now = now;
  }

  /** Counts a request that was taken back unanswered; false once its address has done so too often. */
  mayTakeBack(address: string): boolean {
    // Behind a proxy that does not tell, everybody would be one visitor.
    if (address === '') return true;
    const now = this.now();
    const known = this.allowances.get(address);
    if (known === undefined) {
      this.allowances.set(address, { left: burst - 1, countedAt: now });
      return true;
    }
    known.left = Math.min(burst, known.left + (Math.max(0, now - known.countedAt) / 1000) * perSecond);
    known.countedAt = now;
    if (known.left < 1) return false;
    known.left -= 1;
    return true;
  }
}
