/** Bytes of memory that several pieces of work share: each takes what it needs while there is some left. */
export class ByteShare {
  private left: number;

  constructor(bytes: number) {
    this.left = bytes;
  }

  /** Takes so many bytes and returns true, or returns false and takes nothing where fewer are left. */
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
