import { BytesHeld } from './bytes-held.ts';

interface Content {
  sha256: string;
  size: number;
}

/**
 * Content that organizations are sending and do not have yet. Concurrent uploads share the room that is left: without this,
 * each would find all of it, and together they could fill the disk before any of them is refused.
 */
export class ArrivingContent {
  private readonly bytes = new BytesHeld();
  /** By organization and hash. */
  private readonly senders = new Map<string, number>();

  /**
   * Counts content until the returned function is called; content that is sent twice counts once. Returns null, and counts
   * nothing, when what arrives already leaves no room for it.
   * @param room how many bytes the organization may store in addition to what it has
   */
  take(organizationId: string, { sha256, size }: Content, room: number): (() => void) | null {
    const key = `${organizationId} ${sha256}`;
    const senders = this.senders.get(key) ?? 0;
    if (senders === 0 && size > 0 && !this.bytes.take(organizationId, size, room)) return null;
    this.senders.set(key, senders + 1);
    return () => {
      const left = (this.senders.get(key) ?? 1) - 1;
      if (left > 0) {
        this.senders.set(key, left);
        return;
      }
      this.senders.delete(key);
      this.bytes.give(organizationId, size);
    };
  }
}
