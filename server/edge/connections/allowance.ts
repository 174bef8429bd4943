/** Limits how often something may happen at once, and every second from then on. */
export class Allowance {
  private readonly burst: number;
  private readonly perSecond: number;
  private left: number;
  private countedAt: number;

  /** @param now milliseconds on any clock, the same one in every call */
  constructor(burst: number, perSecond: number, now: number) {
    this.burst = burst;
    this.perSecond = perSecond;
    this.left = burst;
    this.countedAt = now;
  }

  /** Counts one more; false when there have been too many. */
  take(now: number): boolean {
    const seconds = Math.max(0, now - this.countedAt) / 1000;
    this.left = Math.min(this.burst, this.left + seconds * this.perSecond);
    this.countedAt = now;
    if (this.left < 1) return false;
    this.left -= 1;
    return true;
  }
}
