import { LRUCache } from 'lru-cache';
import { Allowance } from './allowance.ts';

/** Requests one address may cancel unanswered at once, and every second from then on, over all of its connections. */
const BURST = 300;
const PER_SECOND = 50;
const ADDRESSES_MAX = 10_000;

/**
 * Tells browsers, which cancel what they have asked for when their page is left, from programs that ask and cancel without end
 * (CVE-2023-44487). Each connection has such a bound of its own; this one is for many connections together.
 */
export class HastyVisitors {
  private readonly allowances = new LRUCache<string, Allowance>({ max: ADDRESSES_MAX });
  private readonly now: () => number;

  constructor(now: () => number) {
    this.now = now;
  }

  /** Counts a request that was cancelled unanswered; false once its address has done so too often. */
  mayTakeBack(address: string): boolean {
    // Behind a proxy that does not name its visitors, all of them would be one.
    if (address === '') return true;
    const now = this.now();
    let allowance = this.allowances.get(address);
    if (allowance === undefined) {
      allowance = new Allowance(BURST, PER_SECOND, now);
      this.allowances.set(address, allowance);
    }
    return allowance.take(now);
  }
}
