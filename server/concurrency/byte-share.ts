/** Memory that several pieces of work share: each takes what it needs while some is left. */
export class ByteShare {
  private left: number;

  constructor(bytes: number) {
    this.left = bytes;
  }

  /** Takes this many bytes and returns true, or takes nothing and returns false when fewer are left. */
  take(bytes: number): boolean {
    if (bytes > this.left) return false;
    this.left -= bytes;
    return true;
  }

  /** Gives back what was taken. */
  give(bytes: number): void {
    this.left += bytes;
  }
}
