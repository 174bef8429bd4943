import { hash } from 'node:crypto';
import { lostContent } from '../lost-content.ts';
import type { BlobEncoding } from '../ports.ts';
import type { BlobHandles } from './blob-handles.ts';
import type { MemoryBudget, Resident } from './memory-budget.ts';

/** The bytes of one small blob in memory; `body` is null after eviction. */
export interface CachedBody extends Resident {
  body: Buffer | null;
}

/**
 * Complete small blobs in memory, one copy for all versions and hosts, each read once however many requests
 * wait for it.
 */
export class BodyCache {
  private readonly handles: BlobHandles;
  private readonly budget: MemoryBudget;
  private readonly cached = new Map<string, CachedBody>();
  private readonly loading = new Map<string, Promise<CachedBody | null>>();
  private loadingBytes = 0;
  private readonly loadingBytesMax: number;

  constructor(handles: BlobHandles, budget: MemoryBudget, loadingBytesMax: number) {
    this.handles = handles;
    this.budget = budget;
    this.loadingBytesMax = loadingBytesMax;
  }

  /**
   * Returns the body when it is in memory and has the expected size: an encoded copy may have been recreated.
   */
  peek(sha256: string, encoding: BlobEncoding, size: number): CachedBody | null {
    const found = this.cached.get(`${sha256} ${encoding}`);
    if (found === undefined || found.body?.length !== size) return null;
    found.wasUsed = true;
    return found;
  }

  /**
   * True when loading a body of this size would exceed the limit on bytes being loaded; such a request is
   * streamed.
   */
  isBusyFor(size: number): boolean {
    return this.loadingBytes + size > this.loadingBytesMax;
  }

  /** Reads the body into memory; null when the store does not have it, or has something else in its place. */
  load(sha256: string, encoding: BlobEncoding, size: number): Promise<CachedBody | null> {
    const key = `${sha256} ${encoding}`;
    const running = this.loading.get(key);
    if (running !== undefined) return running;
    this.loadingBytes += size;
    const load = this.read(sha256, encoding, size, key).finally(() => {
      this.loadingBytes -= size;
      this.loading.delete(key);
    });
    this.loading.set(key, load);
    return load;
  }

  private async read(
    sha256: string,
    encoding: BlobEncoding,
    size: number,
    key: string,
  ): Promise<CachedBody | null> {
    const lease = await this.handles.acquire(sha256, encoding);
    if (lease === null) return null;
    try {
      // Recreated since the version was read, with another size.
      if (lease.handle.size !== size) return null;
      const body = Buffer.allocUnsafeSlow(size);
      let filled = 0;
      while (filled < size) {
        const count = await lease.handle.read(body, filled, size - filled, filled);
        if (count === 0)
          throw lostContent(`blob ${sha256} (${encoding}) ends after ${filled} of ${size} bytes`);
        filled += count;
      }
      // What is damaged in the store must not stay here once it is repaired there. Encoded copies are known by no hash.
      if (encoding === 'identity' && hash('sha256', body) !== sha256) return null;
      const cached: CachedBody = {
        bytes: size + 200,
        wasUsed: false,
        body,
        evict: () => {
          cached.body = null;
          if (this.cached.get(key) === cached) this.cached.delete(key);
        },
      };
      this.cached.set(key, cached);
      this.budget.add(cached);
      return cached.body === null ? { ...cached, body } : cached;
    } finally {
      lease.release();
    }
  }
}
