import { createHash } from 'node:crypto';
import { type FileHandle, open, readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { makeFolders } from '#db/make-folders.ts';
import { AppError, isNodeError } from '#server/errors.ts';
import { newId } from '#server/ids.ts';
import { makeFolder } from './directory/make-folder.ts';
import { DiskReserve } from './room/disk-reserve.ts';

/** A temporary file, complete, not yet synced. */
export interface UnhashedFile {
  path: string;
  size: number;
}

/** The same with its hash. */
export interface SpooledFile extends UnhashedFile {
  sha256: string;
}

interface ReceiveOptions {
  sizeMax: number;
  isDurable: boolean;
  announcedBytes?: number | null;
}

/** Opens a file for writing; replaced in tests by one on a full disk. */
export type OpenFile = (path: string, flags: string, mode: number) => Promise<FileHandle>;

/** Options of a store and its spool; each has a default. */
export interface SpoolOptions {
  openFile?: OpenFile;
  reserve?: DiskReserve;
}

/** How often a process shows that it is alive, by the time on its folder. */
const BEAT_MS = 10_000;
/** A folder without a sign of life for this long belongs to an ended process. */
export const STALE_AFTER_MS = 3 * 60_000;

/**
 * Receives content into temporary files, hashing while it arrives. Each process has its own folder below
 * `root`, which other processes and machines may share; the folder of an ended process is removed with
 * everything in it.
 */
export class Spool {
  readonly root: string;
  private readonly folder: string;
  private readonly openFile: OpenFile;
  private readonly reserve: DiskReserve;
  private beating: NodeJS.Timeout | null = null;
  private pathsGiven = 0;

  constructor(root: string, { openFile = open, reserve = new DiskReserve(root) }: SpoolOptions = {}) {
    this.root = root;
    this.folder = join(root, newId());
    this.openFile = openFile;
    this.reserve = reserve;
  }

  /**
   * Removes what ended processes have left: now, and again once a recently ended one can be told apart from a
   * live one.
   */
  async prepare(): Promise<void> {
    makeFolders(this.root);
    await this.cleanUp();
    const again = () => void this.cleanUp().catch(() => undefined);
    setTimeout(again, STALE_AFTER_MS + BEAT_MS).unref();
  }

  /** Removes what a process that ended in the middle of an upload left behind. */
  async cleanUp(): Promise<void> {
    const staleBefore = Date.now() - STALE_AFTER_MS;
    for (const name of await readdir(this.root)) {
      const path = join(this.root, name);
      if (path === this.folder) continue;
      const stats = await stat(path).catch(() => null);
      if (stats && stats.mtimeMs < staleBefore) await rm(path, { force: true, recursive: true });
    }
  }

  /**
   * Writes content to a new temporary file and returns it with its hash. With `isDurable` it is synced first.
   * With `announcedBytes` it is rejected before any of it is read when there is no room for this much.
   * @throws limit_file_bytes, storage_full, upload_interrupted; the file is removed then
   */
  async receive(content: Readable | Buffer, options: ReceiveOptions): Promise<SpooledFile> {
    const hash = createHash('sha256');
    const file = await this.write(content, options, (chunk) => hash.update(chunk));
    return { ...file, sha256: hash.digest('hex') };
  }

  /** Does the same for content whose hash nobody asks for. */
  receiveUnhashed(content: Readable | Buffer, options: ReceiveOptions): Promise<UnhashedFile> {
    return this.write(content, options, () => undefined);
  }

  private async write(
    content: Readable | Buffer,
    options: ReceiveOptions,
    onChunk: (chunk: Uint8Array) => void,
  ): Promise<UnhashedFile> {
    // An error while the file is being opened is still handled: reading rejects with it.
    if (!Buffer.isBuffer(content)) content.on('error', () => undefined);
    await this.reserve.requireRoom(options.announcedBytes ?? 0);
    const path = this.newPath();
    try {
      const file = await this.openNew(path);
      try {
        let size = 0;
        for await (const chunk of chunksOf(content)) {
          size += chunk.byteLength;
          if (size > options.sizeMax) {
            throw new AppError('limit_file_bytes', { path: 'sent', limit: options.sizeMax });
          }
          await this.reserve.take(chunk.byteLength);
          onChunk(chunk);
          await writeFully(file, chunk);
        }
        if (options.isDurable) await file.sync();
        return { path, size };
      } finally {
        await file.close();
      }
    } catch (error) {
      await rm(path, { force: true });
      throw asStorageError(error);
    }
  }

  /**
   * Makes `write` write this many bytes to a new temporary name, once there is room for them.
   * @throws storage_full, or what `write` throws
   */
  async writeWith(bytes: number, write: (temporaryPath: string) => Promise<void>): Promise<void> {
    await this.reserve.take(bytes);
    if (this.beating === null) await this.begin();
    const attempt = () => write(this.newPath());
    await attempt().catch(async (error: unknown) => {
      // Another process may have considered this one ended, and removed the folder.
      if (!isNodeError(error) || error.code !== 'ENOENT') throw error;
      await this.begin();
      await attempt();
    });
  }

  /** Counts bytes that are about to be written. @throws storage_full */
  take(bytes: number): Promise<void> {
    return this.reserve.take(bytes);
  }

  /**
   * Returns when a small file can be written, even from the reserve.
   * @throws storage_full, or the disk's error
   */
  async check(): Promise<void> {
    const path = join(this.folder, 'check');
    try {
      const file = await this.openNew(path, 'w');
      try {
        await file.writeFile('ready?');
        await file.sync();
      } finally {
        await file.close();
      }
    } catch (error) {
      throw asStorageError(error);
    } finally {
      await rm(path, { force: true });
    }
  }

  /**
   * Returns a path that was never used before: the folder's name is random, so a number is enough for its
   * files.
   */
  private newPath(): string {
    this.pathsGiven += 1;
    return join(this.folder, String(this.pathsGiven));
  }

  /** The folder is created with the first file, and again if another process considered this one ended. */
  private async openNew(path: string, flags = 'wx'): Promise<FileHandle> {
    if (this.beating === null) await this.begin();
    try {
      return await this.openFile(path, flags, 0o600);
    } catch (error) {
      if (!isNodeError(error) || error.code !== 'ENOENT') throw error;
      await this.begin();
      return this.openFile(path, flags, 0o600);
    }
  }

  private async begin(): Promise<void> {
    await makeFolder(this.folder);
    this.beating ??= setInterval(() => void this.beat(), BEAT_MS).unref();
  }

  private async beat(): Promise<void> {
    const now = Date.now() / 1000;
    await utimes(this.folder, now, now).catch((error: unknown) => {
      if (!isNodeError(error) || error.code !== 'ENOENT' || this.beating === null) return;
      clearInterval(this.beating);
      this.beating = null;
    });
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
 * Yields the content's chunks; an error of the source becomes upload_interrupted, so that it is never
 * mistaken for a disk error. The source is not destroyed when the reader stops early: the owner of the
 * connection must still respond.
 */
export async function* chunksOf(
  content: AsyncIterable<unknown> | Buffer,
): AsyncGenerator<Uint8Array, void, undefined> {
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

/** Returns storage_full for a full disk or an exhausted quota, and any other error unchanged. */
export function asStorageError(error: unknown): unknown {
  return isDiskFull(error) ? new AppError('storage_full', {}, [], { cause: error }) : error;
}

/** Whether a disk is full or its quota exhausted. */
export function isDiskFull(error: unknown): boolean {
  return isNodeError(error) && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}

/** Chunks that are kept apart: each takes some hundred bytes besides its own, and a client may send a byte in each. */
const CHUNKS_APART_MAX = 64;

/**
 * Returns content that fits in memory.
 * @throws upload_interrupted when there is more than `bytesMax`
 */
export async function collectBounded(content: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Buffer> {
  let chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunksOf(content)) {
    size += chunk.byteLength;
    if (size > bytesMax) throw new AppError('upload_interrupted');
    chunks.push(chunk);
    if (chunks.length === CHUNKS_APART_MAX) chunks = [Buffer.concat(chunks, size)];
  }
  return Buffer.concat(chunks, size);
}
