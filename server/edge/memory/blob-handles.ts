import type { BlobEncoding, BlobHandle, EdgePorts } from '../ports.ts';

interface OpenBlob {
  readonly key: string;
  readonly opening: Promise<BlobHandle | null>;
  users: number;
  isRetired: boolean;
}

/** A borrowed handle; release it exactly once. */
export interface BlobLease {
  readonly handle: BlobHandle;
  release(): void;
}

/**
 * Open blobs, shared between requests and kept open for the next one; the least recently used are closed when
 * no request reads them.
 */
export class BlobHandles {
  private readonly ports: EdgePorts;
  private readonly openMax: number;
  private readonly open = new Map<string, OpenBlob>();

  constructor(ports: EdgePorts, openMax: number) {
    this.ports = ports;
    this.openMax = openMax;
  }

  /** Returns the blob, or null when the store does not have it. */
  async acquire(sha256: string, encoding: BlobEncoding): Promise<BlobLease | null> {
    const key = `${sha256} ${encoding}`;
    let blob = this.open.get(key);
    if (blob === undefined) {
      blob = { key, opening: this.ports.openBlob(sha256, encoding), users: 0, isRetired: false };
    } else {
      this.open.delete(key);
    }
    this.open.set(key, blob);
    const held = blob;
    held.users += 1;
    this.retireBeyond(this.openMax);
    let handle: BlobHandle | null;
    try {
      handle = await held.opening;
    } catch (error) {
      this.giveBack(held);
      this.forget(held);
      throw error;
    }
    if (handle === null) {
      this.giveBack(held);
      this.forget(held);
      return null;
    }
    return { handle, release: () => this.giveBack(held) };
  }

  /** Makes the next request ask the store again. */
  drop(sha256: string, encoding: BlobEncoding): void {
    const blob = this.open.get(`${sha256} ${encoding}`);
    if (blob !== undefined) this.forget(blob);
  }

  /** Closes everything; handles in use are closed when they are released. */
  close(): void {
    this.retireBeyond(0);
  }

  private retireBeyond(count: number): void {
    for (const blob of this.open.values()) {
      if (this.open.size <= count) return;
      this.forget(blob);
    }
  }

  private forget(blob: OpenBlob): void {
    if (this.open.get(blob.key) === blob) this.open.delete(blob.key);
    if (blob.isRetired) return;
    blob.isRetired = true;
    if (blob.users === 0) closeQuietly(blob);
  }

  private giveBack(blob: OpenBlob): void {
    blob.users -= 1;
    if (blob.users === 0 && blob.isRetired) closeQuietly(blob);
  }
}

/** After a failed close there is nothing else to try. */
function closeQuietly(blob: OpenBlob): void {
  blob.opening.then((handle) => handle?.close()).catch(() => {});
}
