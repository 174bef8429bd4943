import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { AppError, isNodeError } from '#server/errors.ts';

/** A temporary file, complete and hashed, not yet synced. */
export interface SpooledFile {
  path: string;
  sha256: string;
  size: number;
}

/** Opens a file for writing; replaced in tests by one on a full disk. */
export type OpenFile = (path: string, flags: string, mode: number) => Promise<FileHandle>;

/** A temporary file older than this belongs to no upload any more. */
const STALE_AFTER_MS = 24 * 60 * 60 * 1000;

/** Receives content into temporary files of one directory, hashing while it arrives. */
export class Spool {
  readonly directory: string;
  private readonly openFile: OpenFile;

  constructor(directory: string, openFile: OpenFile = open) {
    this.directory = directory;
    this.openFile = openFile;
  }

  async prepare(): Promise<void> {
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
    await this.cleanUp();
  }

  /** Removes what a process that ended in the middle of an upload left behind. */
  async cleanUp(): Promise<void> {
    const staleBefore = Date.now() - STALE_AFTER_MS;
    for (const name of await readdir(this.directory)) {
      const path = join(this.directory, name);
      const stats = await stat(path).catch(() => null);
      if (stats && stats.mtimeMs < staleBefore) await rm(path, { force: true, recursive: true });
    }
  }

  /**
   * Writes content to a new temporary file and returns it with its hash. With `isDurable` it is synced before.
   * @throws limit_file_bytes, storage_full, upload_interrupted; the file is gone then
   */
  async receive(
    content: Readable | Buffer,
    options: { sizeMax: number; isDurable: boolean },
  ): Promise<SpooledFile> {
    const path = join(this.directory, `${process.pid}-${randomBytes(9).toString('hex')}`);
    try {
      const file = await this.openFile(path, 'wx', 0o600);
      try {
        const hash = createHash('sha256');
        let size = 0;
        for await (const chunk of chunksOf(content)) {
          size += chunk.byteLength;
          if (size > options.sizeMax) {
            throw new AppError('limit_file_bytes', { path: 'sent', limit: options.sizeMax });
          }
          hash.update(chunk);
          await writeFully(file, chunk);
        }
        if (options.isDurable) await file.sync();
        return { path, sha256: hash.digest('hex'), size };
      } finally {
        await file.close();
      }
    } catch (error) {
      await rm(path, { force: true });
      throw asStorageError(error);
    }
  }
}

async function writeFully(file: FileHandle, chunk: Uint8Array): Promise<void> {
  let written = 0;
  while (written < chunk.byteLength) {
    const { bytesWritten } = await file.write(chunk, written, chunk.byteLength - written);
    written += bytesWritten;
  }
}

/**
 * Yields the content's chunks; an error of the source becomes upload_interrupted, so that it is never taken for one of
 * the disk. The source is not destroyed when the reader stops early: whoever owns the connection still has to answer.
 */
export async function* chunksOf(content: Readable | Buffer): AsyncGenerator<Uint8Array, void, undefined> {
  if (Buffer.isBuffer(content)) {
    if (content.byteLength > 0) yield content;
    return;
  }
  const source: AsyncIterator<unknown> = content[Symbol.asyncIterator]();
  for (;;) {
    let next: IteratorResult<unknown>;
    try {
      next = await source.next();
    } catch (error) {
      throw error instanceof AppError ? error : new AppError('upload_interrupted', {}, [], { cause: error });
    }
    if (next.done) return;
    const chunk = next.value;
    if (chunk instanceof Uint8Array) yield chunk;
    else throw new TypeError('content must be bytes');
  }
}

/** Returns storage_full for a full disk or a spent quota, and any other error as it is. */
export function asStorageError(error: unknown): unknown {
  if (isNodeError(error) && (error.code === 'ENOSPC' || error.code === 'EDQUOT')) {
    return new AppError('storage_full', {}, [], { cause: error });
  }
  return error;
}
