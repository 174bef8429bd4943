import { S3Error } from './s3-error.ts';

/**
 * Memory for what requests hold until their responses have been taken: documents, lists, portions of content. Each holder, such as an
 * organization, gets as much as is left free for others, so one that takes all it can gets half, and leaves the next a third.
 */
export class MemoryShares {
  private left: number;
  private readonly heldBy = new Map<string, number>();

  constructor(bytesMax: number) {
    this.left = bytesMax;
  }

  /** Takes this many bytes and returns true, or takes nothing and returns false when the holder would have more than is left. */
  take(holder: string, bytes: number): boolean {
    const held = (this.heldBy.get(holder) ?? 0) + bytes;
    if (held > this.left) return false;
    this.left -= bytes;
    this.heldBy.set(holder, held);
    return true;
  }

  /** Gives back what was taken. */
  give(holder: string, bytes: number): void {
    this.left += bytes;
    const held = (this.heldBy.get(holder) ?? 0) - bytes;
    if (held > 0) this.heldBy.set(holder, held);
    else this.heldBy.delete(holder);
  }
}

/** What one request holds. */
export class HeldMemory {
  private readonly shares: MemoryShares;
  private readonly taken = new Map<string, number>();

  constructor(shares: MemoryShares) {
    this.shares = shares;
  }

  get isEmpty(): boolean {
    return this.taken.size === 0;
  }

  /** @throws SlowDown when the holder has too much already */
  hold(holder: string, bytes: number): void {
    if (!this.tryToHold(holder, bytes)) throw new S3Error('SlowDown');
  }

  /** Returns false instead. */
  tryToHold(holder: string, bytes: number): boolean {
    if (bytes === 0) return true;
    if (!this.shares.take(holder, bytes)) return false;
    this.taken.set(holder, (this.taken.get(holder) ?? 0) + bytes);
    return true;
  }

  /** Gives everything back. */
  release(): void {
    for (const [holder, bytes] of this.taken) this.shares.give(holder, bytes);
    this.taken.clear();
  }
}
