import { opendir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { makeFolders } from '#db/make-folders.ts';
import { syncNewFolder } from '#db/sync-folder.ts';
import { AppError } from '#server/errors.ts';
import {
  BLOB_FOLDERS,
  type BlobEncoding,
  type BlobHandle,
  type BlobStore,
  blobName,
  type ExpectedContent,
  hashOfBlobName,
  type StagedBlob,
  type StoredBlob,
} from '../blob-store.ts';
import type { PieceStore } from '../piece-store.ts';
import { asStorageError, Spool, type SpoolOptions } from '../spool.ts';
import { asSizeMismatch, verifySpooled } from '../verify-spooled.ts';
import { DirectoryPieces, PIECES } from './directory-pieces.ts';
import { DirectorySyncer } from './directory-syncer.ts';
import { ignoreMissing, openLocalFile, syncFile } from './local-file.ts';
import { SmallFileWriter } from './small-file-writer.ts';

const TEMPORARY = 'tmp';
/** Content up to this size is copied to another thread and written there. */
const SMALL_BYTES_MAX = 1024 * 1024;

/**
 * Returns a store in a directory: 16 folders by the first digit of the hash. A blob is written to a temporary
 * name on the same file system, synced, renamed, and its folder synced, so it exists completely or not at
 * all.
 */
export async function openDirectoryStore(root: string, options: SpoolOptions = {}): Promise<BlobStore> {
  const spool = new Spool(join(root, TEMPORARY), options);
  await spool.prepare();
  for (const folder of [...BLOB_FOLDERS, PIECES]) makeFolders(join(root, folder));
  await syncNewFolder(root);
  return new DirectoryStore(root, spool, new DirectorySyncer());
}

class DirectoryStore implements BlobStore {
  readonly pieces: PieceStore;
  private readonly root: string;
  private readonly spool: Spool;
  private readonly syncer: DirectorySyncer;
  private readonly smallFiles = new SmallFileWriter();
  /** How many names were added to each folder, and how many of them a sync has covered. */
  private readonly renames = new Map<string, number>();
  private readonly synced = new Map<string, number>();

  constructor(root: string, spool: Spool, syncer: DirectorySyncer) {
    this.root = root;
    this.spool = spool;
    this.syncer = syncer;
    this.pieces = new DirectoryPieces(join(root, PIECES), { spool, syncer, smallFiles: this.smallFiles });
  }

  async put(
    sha256: string,
    encoding: BlobEncoding,
    content: Readable | Buffer,
    expected: ExpectedContent,
  ): Promise<void> {
    if (expected.isDeferred && Buffer.isBuffer(content) && content.byteLength <= SMALL_BYTES_MAX) {
      await this.putSmall(sha256, encoding, content, expected);
      return;
    }
    const file = await this.spool
      .receive(content, {
        sizeMax: expected.size ?? Number.POSITIVE_INFINITY,
        announcedBytes: expected.size,
        isDurable: true,
      })
      .catch((error: unknown) => {
        throw asSizeMismatch(error, sha256, expected.size);
      });
    try {
      verifySpooled(file, sha256, encoding, expected.size);
      await this.publish(file.path, blobName(sha256, encoding));
    } catch (error) {
      await rm(file.path, { force: true });
      throw error;
    }
    if (!expected.isDeferred) await this.settle();
  }

  /** Writes content that is in memory, together with others that arrive at the same time. */
  private async putSmall(
    sha256: string,
    encoding: BlobEncoding,
    content: Buffer,
    { size: expectedSize, client }: ExpectedContent,
  ): Promise<void> {
    const actual = content.byteLength;
    if (expectedSize !== null && actual !== expectedSize) {
      throw new AppError('size_mismatch', { path: sha256, actual, expected: expectedSize });
    }
    const path = this.pathOf(sha256, encoding);
    const expectedHash = encoding === 'identity' ? sha256 : null;
    await this.spool
      .writeWith(actual, (temporaryPath) =>
        this.smallFiles.write({ temporaryPath, path, content, sha256: expectedHash }, client),
      )
      .catch((error: unknown) => {
        throw asStorageError(error);
      });
    this.noteRename(path);
  }

  async settle(): Promise<void> {
    const work = [...this.renames].map(async ([folder, count]) => {
      if (count <= (this.synced.get(folder) ?? 0)) return;
      await this.syncer.sync(folder);
      this.synced.set(folder, Math.max(count, this.synced.get(folder) ?? 0));
    });
    try {
      await Promise.all(work);
    } catch (error) {
      throw asStorageError(error);
    }
  }

  async stage(content: Readable | Buffer, options: { sizeMax: number }): Promise<StagedBlob> {
    const file = await this.spool.receive(content, { sizeMax: options.sizeMax, isDurable: false });
    return {
      path: file.path,
      sha256: file.sha256,
      size: file.size,
      store: async () => {
        await syncFile(file.path);
        await this.publish(file.path, blobName(file.sha256, 'identity'));
      },
      discard: () => rm(file.path, { force: true }),
    };
  }

  async has(sha256: string, encoding: BlobEncoding): Promise<boolean> {
    return (await stat(this.pathOf(sha256, encoding)).catch(ignoreMissing)) !== null;
  }

  open(sha256: string, encoding: BlobEncoding): Promise<BlobHandle | null> {
    return openLocalFile(this.pathOf(sha256, encoding));
  }

  async remove(sha256: string): Promise<void> {
    // The identity is removed last: while it exists, the encodings can be recreated.
    for (const encoding of ['br', 'gzip', 'identity'] as const) {
      await rm(this.pathOf(sha256, encoding), { force: true });
    }
  }

  async *list(): AsyncIterable<StoredBlob> {
    for (const name of BLOB_FOLDERS) {
      const folder = join(this.root, name);
      for await (const entry of await opendir(folder)) {
        const sha256 = hashOfBlobName(entry.name);
        const stats = sha256 === null ? null : await stat(join(folder, entry.name)).catch(ignoreMissing);
        if (sha256 !== null && stats !== null) yield { sha256, storedAt: stats.ctimeMs };
      }
    }
  }

  cleanUp(): Promise<void> {
    return this.spool.cleanUp();
  }

  check(): Promise<void> {
    return this.spool.check();
  }

  private pathOf(sha256: string, encoding: BlobEncoding): string {
    return join(this.root, blobName(sha256, encoding));
  }

  /** Gives a synced temporary file its final name; `settle` makes the name durable. */
  private async publish(temporaryPath: string, name: string): Promise<void> {
    const path = join(this.root, name);
    try {
      await rename(temporaryPath, path);
      this.noteRename(path);
    } catch (error) {
      throw asStorageError(error);
    }
  }

  private noteRename(path: string): void {
    const folder = dirname(path);
    this.renames.set(folder, (this.renames.get(folder) ?? 0) + 1);
  }
}
