import { copyFile, link, mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { isNodeError } from '#server/errors.ts';
import { newId } from '#server/ids.ts';
import type { BlobHandle } from './blob-store.ts';
import type { DirectorySyncer } from './directory-syncer.ts';
import { FileBlobHandle, ignoreMissing, syncFile } from './local-file.ts';
import type { PieceStore, StagedPiece } from './piece-store.ts';
import { asStorageError, type Spool } from './spool.ts';

/**
 * The random end of an id: 1,024 folders, so that none of them grows beyond what a file system handles well.
 */
const FOLDER_LETTERS = 2;

/** Pieces in a directory: written to a temporary name, synced, renamed, and the folder synced. */
export class DirectoryPieces implements PieceStore {
  private readonly root: string;
  private readonly spool: Spool;
  private readonly syncer: DirectorySyncer;

  constructor(root: string, spool: Spool, syncer: DirectorySyncer) {
    this.root = root;
    this.spool = spool;
    this.syncer = syncer;
  }

  async receive(
    content: Readable,
    { announcedBytes, id = newId() }: { announcedBytes: number; id?: string },
  ): Promise<StagedPiece> {
    const sizeMax = Number.POSITIVE_INFINITY;
    // Synced while it is open: most received content is kept, and reopening it takes as long as a sync.
    const file = await this.spool.receive(content, { sizeMax, announcedBytes, isDurable: true });
    return {
      id,
      size: file.size,
      sha256: file.sha256,
      keep: () => this.name((path) => rename(file.path, path), id),
      discard: () => rm(file.path, { force: true }),
    };
  }

  async open(id: string): Promise<BlobHandle | null> {
    const file = await open(this.pathOf(id), 'r').catch(ignoreMissing);
    if (!file) return null;
    try {
      return new FileBlobHandle(file, (await file.stat()).size);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async copy(id: string): Promise<string> {
    const copy = newId();
    // Stored content never changes, so two names may share it.
    await this.name(async (path) => {
      const from = this.pathOf(id);
      await link(from, path).catch(async (error: unknown) => {
        // A file system allows some ten thousand names of a file.
        if (!isNodeError(error) || error.code !== 'EMLINK') throw error;
        const { size } = await stat(from);
        await this.spool.writeWith(size, async (temporary) => {
          await copyFile(from, temporary);
          await syncFile(temporary);
          await rename(temporary, path);
        });
      });
    }, copy);
    return copy;
  }

  async remove(id: string): Promise<void> {
    await rm(this.pathOf(id), { force: true });
  }

  async *list(): AsyncIterable<{ id: string; storedAt: number }> {
    const folders = await opendir(this.root).catch(ignoreMissing);
    if (folders === null) return;
    for await (const folder of folders) {
      for await (const { name } of await opendir(join(this.root, folder.name))) {
        const stats = await stat(join(this.root, folder.name, name)).catch(ignoreMissing);
        if (stats !== null) yield { id: name, storedAt: stats.ctimeMs };
      }
    }
  }

  /** Gives a piece its final name, durably. Folders are created with their first piece. */
  private async name(give: (path: string) => Promise<void>, id: string): Promise<void> {
    const path = this.pathOf(id);
    try {
      await give(path).catch(async (error: unknown) => {
        if (!isNodeError(error) || error.code !== 'ENOENT') throw error;
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        await this.syncer.sync(this.root);
        await this.syncer.sync(dirname(this.root));
        await give(path);
      });
      await this.syncer.sync(dirname(path));
    } catch (error) {
      throw asStorageError(error);
    }
  }

  private pathOf(id: string): string {
    return join(this.root, id.slice(-FOLDER_LETTERS), id);
  }
}
