/** Allows a number of events per second, and as many at once after a pause. */
export class TokenBucket {
  private readonly perSecond: number;
  private tokens: number;
  private seenAt: number;

  constructor(perSecond: number, now: number) {
    this.perSecond = perSecond;
    this.tokens = perSecond;
    this.seenAt = now;
  }

  /** Returns whether one more event may happen now. */
  take(now: number): boolean {
    const elapsedMs = Math.max(0, now - this.seenAt);
    this.seenAt = now;
    this.tokens = Math.min(this.perSecond, this.tokens + (elapsedMs * this.perSecond) / 1000);
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }
}
