import { LRUCache } from 'lru-cache';
import { TokenBucket } from '../../connections/token-bucket.ts';

/**
 * Unanswered requests that one address may cancel at once, and every second from then on, over all its
 * connections.
 */
const BURST = 300;
const PER_SECOND = 50;
const ADDRESSES_MAX = 10_000;

/**
 * Distinguishes browsers, which cancel their requests when a page is left, from programs that send and cancel
 * requests endlessly (CVE-2023-44487). Each connection has such a limit too; this one covers many connections
 * together.
 */
export class CancelLimit {
  private readonly buckets = new LRUCache<string, TokenBucket>({ max: ADDRESSES_MAX });
  private readonly now: () => number;

  constructor(now: () => number) {
    this.now = now;
  }

  /**
   * Counts a request that was cancelled before it was answered; false once its address has done so too often.
   */
  allows(address: string): boolean {
    // Behind a proxy that does not identify visitors, everyone would be one visitor.
    if (address === '') return true;
    const now = this.now();
    let bucket = this.buckets.get(address);
    if (bucket === undefined) {
      bucket = new TokenBucket(BURST, PER_SECOND, now);
      this.buckets.set(address, bucket);
    }
    return bucket.take(now);
  }
}
