/** Allows a number of events at once, and a number of them every second from then on. */
export class TokenBucket {
  private readonly burst: number;
  private readonly perSecond: number;
  private tokens: number;
  private seenAt: number;

  /** @param now milliseconds on any clock, the same one in every call */
  constructor(burst: number, perSecond: number, now: number) {
    this.burst = burst;
    this.perSecond = perSecond;
    this.tokens = burst;
    this.seenAt = now;
  }

  /** Returns whether one more event may happen now, and counts it if so. */
  take(now: number): boolean {
    const elapsedMs = Math.max(0, now - this.seenAt);
    this.seenAt = now;
    this.tokens = Math.min(this.burst, this.tokens + (elapsedMs * this.perSecond) / 1000);
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }
}
