import { addressKey } from './rate-limits.ts';

/** Limits how much each address holds at a time: connections, or requests behind a proxy. */
export class AddressCounts {
  readonly max: number;
  private readonly keyOf: (address: string) => string;
  private readonly counts = new Map<string, number>();

  /** @param keyOf what an address counts as; by default itself, or its /64 for IPv6 */
  constructor(max: number, keyOf: (address: string) => string = addressKey) {
    this.max = max;
    this.keyOf = keyOf;
  }

  /**
   * Counts one until `closed` closes. Returns false when the address already holds as many as it may; an
   * unknown address is always admitted.
   */
  admit(
    address: string | undefined,
    closed: { once(event: 'close', listener: () => void): unknown },
  ): boolean {
    if (address === undefined || address === '') return true;
    const key = this.keyOf(address);
    const count = this.counts.get(key) ?? 0;
    if (count >= this.max) return false;
    this.counts.set(key, count + 1);
    closed.once('close', () => this.giveBack(key));
    return true;
  }

  private giveBack(key: string): void {
    const left = (this.counts.get(key) ?? 1) - 1;
    if (left > 0) this.counts.set(key, left);
    else this.counts.delete(key);
  }
}
