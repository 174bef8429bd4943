import { randomBytes } from 'node:crypto';
import { open, rename, rm, stat } from 'node:fs/promises';

const PIECE_BYTES = 1024 ** 2;

/** Disk space held by a file, so that it can be released when nothing else is left. */
export class ReserveFile {
  private readonly path: string;
  readonly bytes: number;

  constructor(path: string, bytes: number) {
    this.path = path;
    this.bytes = bytes;
  }

  /** Whether the space is currently held. */
  async isHeld(): Promise<boolean> {
    if (this.bytes === 0) return true;
    const stats = await stat(this.path).catch(() => null);
    return stats !== null && stats.size >= this.bytes;
  }

  /**
   * Holds the space.
   * @throws the disk's error when it has no room; nothing is held then
   */
  async hold(): Promise<void> {
    if (await this.isHeld()) return;
    const unfinished = `${this.path}.${process.pid}.tmp`;
    try {
      const file = await open(unfinished, 'w', 0o600);
      try {
        // Random bytes, because a compressing file system would hold nothing for zeros.
        const piece = randomBytes(Math.min(PIECE_BYTES, this.bytes));
        for (let left = this.bytes; left > 0; left -= piece.byteLength) {
          await file.writeFile(left < piece.byteLength ? piece.subarray(0, left) : piece);
        }
      } finally {
        await file.close();
      }
      await rename(unfinished, this.path);
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
  }

  /** Releases the space to the disk. Returns whether any was held. */
  async release(): Promise<boolean> {
    const wasHeld = this.bytes > 0 && (await this.isHeld());
    await rm(this.path, { force: true });
    return wasHeld;
  }
}
