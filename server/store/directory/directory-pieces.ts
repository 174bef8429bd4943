import { copyFile, link, opendir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { isNodeError } from '#server/errors.ts';
import { newId } from '#server/ids.ts';
import type { BlobHandle } from '../blob-store.ts';
import type { PieceStore, StagedPiece } from '../piece-store.ts';
import { asStorageError, collectBounded, type Spool } from '../spool.ts';
import type { DirectorySyncer } from './directory-syncer.ts';
import { ignoreMissing, openLocalFile, readFilePart, syncFile } from './local-file.ts';
import { makeFolder } from './make-folder.ts';
import type { SmallFileWriter } from './small-file-writer.ts';

/**
 * The random end of an id: 1,024 folders, so that none of them grows beyond what a file system handles well.
 */
const FOLDER_LETTERS = 2;

/** The folder of pieces in a directory store. */
export const PIECES = 'objects';
/** Pieces that arrive within this time share a folder, so that they share the sync of the folder. */
const FOLDER_MS = 200;
/** Content up to this is received into memory and written by another thread. */
const SMALL_BYTES_MAX = 64 * 1024;

/**
 * Pieces in a directory. Large ones are written to a temporary name, synced, renamed, and the folder synced. Small ones are
 * written in their place, and synced together with the folder: no row names a piece before it is kept. A power cut may
 * leave a part of one there, so a piece whose id is known before, as in a backup, has a temporary name first.
 */
export class DirectoryPieces implements PieceStore {
  private readonly root: string;
  private readonly spool: Spool;
  private readonly syncer: DirectorySyncer;
  private readonly smallFiles: SmallFileWriter;
  private folder = { letters: '', chosenAt: Number.NEGATIVE_INFINITY };
  /** Folders whose own names this process knows to be durable. */
  private readonly durableFolders = new Set<string>();

  constructor(root: string, parts: { spool: Spool; syncer: DirectorySyncer; smallFiles: SmallFileWriter }) {
    this.root = root;
    this.spool = parts.spool;
    this.syncer = parts.syncer;
    this.smallFiles = parts.smallFiles;
  }

  async receive(
    content: Readable,
    { announcedBytes, id: knownId, client }: { announcedBytes: number; id?: string; client?: string },
  ): Promise<StagedPiece> {
    const isSmall = announcedBytes > 0 && announcedBytes <= SMALL_BYTES_MAX;
    if (isSmall && knownId === undefined) return this.receiveSmall(content, client);
    const id = knownId ?? this.newPieceId();
    const sizeMax = Number.POSITIVE_INFINITY;
    // Synced while it is open: most received content is kept, and reopening it takes as long as a sync.
    const file = await this.spool.receiveUnhashed(content, { sizeMax, announcedBytes, isDurable: true });
    return {
      id,
      size: file.size,
      keep: () => this.name((path) => rename(file.path, path), id),
      discard: () => rm(file.path, { force: true }),
    };
  }

  private async receiveSmall(content: Readable, client?: string): Promise<StagedPiece> {
    const id = this.newPieceId();
    const bytes = await collectBounded(content, SMALL_BYTES_MAX);
    const size = bytes.byteLength;
    const path = this.pathOf(id);
    return {
      id,
      size,
      keep: async () => {
        await this.spool.take(size);
        await this.inFolder(path, () =>
          this.smallFiles.write({ temporaryPath: null, path, content: bytes, sha256: null }, client),
        );
      },
      // What was kept stays: a caller that failed after that may still refer to it.
      discard: async () => undefined,
    };
  }

  /** An id that says at its end which folder the piece lies in. */
  private newPieceId(): string {
    const now = performance.now();
    if (now - this.folder.chosenAt > FOLDER_MS) {
      this.folder = { letters: newId().slice(-FOLDER_LETTERS), chosenAt: now };
    }
    return newId() + this.folder.letters;
  }

  open(id: string): Promise<BlobHandle | null> {
    return openLocalFile(this.pathOf(id));
  }

  readPart(id: string, part: { start: number; length: number }): Promise<Buffer | null> {
    return readFilePart(this.pathOf(id), part);
  }

  async copy(id: string): Promise<string> {
    const copy = this.newPieceId();
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
    await this.inFolder(path, async () => {
      await give(path);
      await this.syncer.sync(dirname(path));
    });
  }

  /** Does something in the folder of a path, which is made when the first piece comes to it. @throws storage_full */
  private async inFolder(path: string, work: () => Promise<void>): Promise<void> {
    const folder = dirname(path);
    try {
      if (!this.durableFolders.has(folder)) await this.prepareFolder(folder);
      await work().catch(async (error: unknown) => {
        if (!isNodeError(error) || error.code !== 'ENOENT') throw error;
        await this.prepareFolder(folder);
        await work();
      });
    } catch (error) {
      throw asStorageError(error);
    }
  }

  /** Even a folder that exists may have been made a moment ago, by a process that has not synced its name yet. */
  private async prepareFolder(folder: string): Promise<void> {
    await makeFolder(folder);
    await this.syncer.sync(this.root);
    this.durableFolders.add(folder);
  }

  private pathOf(id: string): string {
    return join(this.root, id.slice(-FOLDER_LETTERS), id);
  }
}
