/** As much of the disk or the memory as each key's work may hold at a time. */
export class BytesHeld {
  private readonly heldBy = new Map<string, number>();

  /** Takes this many bytes and returns true, or takes nothing and returns false when the key would hold more than `max`. */
  take(key: string, bytes: number, max: number): boolean {
    const held = (this.heldBy.get(key) ?? 0) + bytes;
    if (held > max) return false;
    this.heldBy.set(key, held);
    return true;
  }

  /** Gives back what was taken. */
  give(key: string, bytes: number): void {
    const left = (this.heldBy.get(key) ?? 0) - bytes;
    if (left > 0) this.heldBy.set(key, left);
    else this.heldBy.delete(key);
  }
}
