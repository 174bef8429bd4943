import { S3Error } from './s3-error.ts';

/** A holder may have a part of what is left, so that many have something each, and another one finds room. */
const PART_OF_ROOM = 4;

/**
 * Memory for what requests hold until their responses have been taken: documents, lists, portions of content. Each holder, such as an
 * organization, gets up to a quarter of what is left free: a fifth of all where it is alone.
 */
export class MemoryShares {
  private left: number;
  private readonly heldBy = new Map<string, number>();

  constructor(bytesMax: number) {
    this.left = bytesMax;
  }

  /** Takes this many bytes and returns true, or takes nothing and returns false when the holder would have too much. */
  take(holder: string, bytes: number): boolean {
    if (bytes > this.roomOf(holder)) return false;
    this.left -= bytes;
    this.heldBy.set(holder, (this.heldBy.get(holder) ?? 0) + bytes);
    return true;
  }

  /** Returns how many bytes the holder may take besides what it has. */
  roomOf(holder: string): number {
    return this.left / PART_OF_ROOM - (this.heldBy.get(holder) ?? 0);
  }

  /** Gives back what was taken. */
  give(holder: string, bytes: number): void {
    this.left += bytes;
    const held = (this.heldBy.get(holder) ?? 0) - bytes;
    if (held > 0) this.heldBy.set(holder, held);
    else this.heldBy.delete(holder);
  }
}

/** Who holds memory, and of which there is. */
export interface MemoryHolder {
  readonly shares: MemoryShares;
  readonly name: string;
}

/** What one request holds. */
export class HeldMemory {
  private readonly taken = new Map<MemoryHolder, number>();

  get isEmpty(): boolean {
    return this.taken.size === 0;
  }

  /** @throws SlowDown when the holder has too much already */
  hold(holder: MemoryHolder, bytes: number): void {
    if (!holder.shares.take(holder.name, bytes)) throw new S3Error('SlowDown');
    this.taken.set(holder, (this.taken.get(holder) ?? 0) + bytes);
  }

  /** Gives everything back. */
  release(): void {
    for (const [{ shares, name }, bytes] of this.taken) shares.give(name, bytes);
    this.taken.clear();
  }
}
