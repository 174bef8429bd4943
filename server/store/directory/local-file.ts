import { close as closeCallback, open as openCallback, read as readCallback } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { isNodeError } from '#server/errors.ts';
import type { BlobHandle } from '../blob-store.ts';
import { asStorageError } from '../spool.ts';

/** An open file on this machine. */
class FileBlobHandle implements BlobHandle {
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

/** Opens a file for random access; null when it is missing. */
export async function openLocalFile(path: string): Promise<BlobHandle | null> {
  const file = await open(path, 'r').catch(ignoreMissing);
  if (!file) return null;
  try {
    return new FileBlobHandle(file, (await file.stat()).size);
  } catch (error) {
    await file.close();
    throw error;
  }
}

const openDescriptor = promisify(openCallback);
const readDescriptor = promisify(readCallback);
const closeDescriptor = promisify(closeCallback);

/** Reads a part of a file, with as few calls as there can be. Null where there is no such file; shorter where it ends before. */
export async function readFilePart(
  path: string,
  { start, length }: { start: number; length: number },
): Promise<Buffer | null> {
  const file = await openDescriptor(path, 'r').catch(ignoreMissing);
  if (file === null) return null;
  try {
    const target = Buffer.allocUnsafe(length);
    let done = 0;
    while (done < length) {
      const { bytesRead } = await readDescriptor(file, target, done, length - done, start + done);
      if (bytesRead === 0) break;
      done += bytesRead;
    }
    return target.subarray(0, done);
  } finally {
    await closeDescriptor(file);
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
