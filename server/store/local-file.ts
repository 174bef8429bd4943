import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { isNodeError } from '#server/errors.ts';
import type { BlobHandle } from './blob-store.ts';
import { asStorageError } from './spool.ts';

/** An open file on this machine. */
export class FileBlobHandle implements BlobHandle {
  readonly size: number;
  readonly isLocal = true;
  private readonly file: FileHandle;

  constructor(file: FileHandle, size: number) {
    this.file = file;
    this.size = size;
  }

  async read(target: Uint8Array, offset: number, length: number, position: number): Promise<number> {
    const { bytesRead } = await this.file.read(target, offset, length, position);
    return bytesRead;
  }

  stream(start: number, end: number): Readable {
    return this.file.createReadStream({ start, end, autoClose: false });
  }

  async close(): Promise<void> {
    await this.file.close();
  }
}

/** @throws storage_full */
export async function syncFile(path: string): Promise<void> {
  try {
    const file = await open(path, 'r+');
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    throw asStorageError(error);
  }
}

/**
 * Returns null for a missing file.
 * @throws any other error
 */
export function ignoreMissing(error: unknown): null {
  if (isNodeError(error) && error.code === 'ENOENT') return null;
  throw error;
}
