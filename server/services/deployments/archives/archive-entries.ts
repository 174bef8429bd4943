import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { ByteShare } from '#server/concurrency/byte-share.ts';
import { mapConcurrently } from '#server/concurrency/map-concurrently.ts';
import { AppError } from '#server/errors.ts';
import type { BlobStore, StagedBlob } from '#server/store/blob-store.ts';
import { chunksOf } from '#server/store/spool.ts';
import type { ContentRoom } from '../blobs/content-room.ts';
import {
  checkPath,
  fileSizeProblem,
  type ManifestFile,
  type ManifestLimits,
  pathProblemParams,
  versionSizeProblem,
} from '../manifests/manifest-rules.ts';

/** Text rarely shrinks to a twentieth; an archive beyond this ratio is an attack. */
const EXPANSION_MAX = 200;
/** Below this size an archive may expand by any ratio. */
const EXPANSION_FREE_BYTES = 64 * 1024 * 1024;

/** Files up to this size wait in memory, while some is left, until the whole archive has been checked. */
const BUFFERED_FILE_BYTES_MAX = 256 * 1024;
const DISCARDED_AT_ONCE = 16;

/** The content of one entry while the archive is being read; one of the two is called, once. */
export interface EntryContent {
  readonly stream: Readable;
  buffer(): Promise<Buffer>;
}

/** Content of an archive that is not in the store yet. */
export type StagedContent = Omit<StagedBlob, 'path'>;

/**
 * Requires that an archive of `packedBytes` has not expanded beyond a plausible ratio.
 * @throws archive_invalid
 */
export function requireBelievableExpansion(packedBytes: number, unpackedBytes: number): void {
  if (unpackedBytes <= EXPANSION_FREE_BYTES || unpackedBytes <= packedBytes * EXPANSION_MAX) return;
  throw new AppError('archive_invalid', {
    reason: `it expands to more than ${EXPANSION_MAX} times its size`,
  });
}

/** Most entries of an archive, including folders and skipped ones. */
export function archiveEntriesMax(limits: Pick<ManifestLimits, 'filesMax'>): number {
  return limits.filesMax * 2 + 1000;
}

/**
 * Returns the path of an archive's file as it will be stored, or null for files that macOS adds.
 * @throws unsafe_path
 */
export function readEntryPath(name: string): string | null {
  const checked = checkPath(name.replace(/^(\.\/)+/, ''));
  if (!checked.ok) {
    const path = JSON.stringify(name.slice(0, 200)).slice(1, -1);
    throw new AppError('unsafe_path', pathProblemParams(path, checked.problem));
  }
  const segments = checked.path.split('/');
  return segments.includes('__MACOSX') || segments.at(-1) === '.DS_Store' ? null : checked.path;
}

/**
 * The files of an archive while it is being read: content in temporary files by hash, and the resulting
 * manifest.
 */
export class ArchiveContents {
  private readonly client: string;
  private readonly blobs: BlobStore;
  private readonly limits: ManifestLimits;
  private readonly room: ContentRoom;
  private readonly memory: ByteShare;
  private readonly files: ManifestFile[] = [];
  private readonly staged = new Map<string, StagedContent>();
  private readonly temporary: StagedContent[] = [];
  /** The folder that contains everything so far, with its slash; empty when there is none. */
  private folder: string | null = null;
  private fileCount = 0;
  private totalBytes = 0;
  private bufferedBytes = 0;

  /** @param client whose files they are: organizations take turns at writing small ones */
  constructor(
    client: string,
    blobs: BlobStore,
    limits: ManifestLimits,
    room: ContentRoom,
    memory: ByteShare,
  ) {
    this.client = client;
    this.blobs = blobs;
    this.limits = limits;
    this.room = room;
    this.memory = memory;
  }

  /** Counts a file against the limits by its announced size, before any of it is read. */
  announce(path: string, size: number): void {
    this.fileCount += 1;
    this.totalBytes += size;
    const problem =
      fileSizeProblem(path, size, this.limits) ??
      versionSizeProblem(this.fileCount, this.totalBytes, this.limits);
    if (problem) throw new AppError(problem.code, problem.params);
  }

  /**
   * Stores an announced file's content.
   * @throws limit_stored_bytes as soon as there is no room for new content
   */
  async add(path: string, size: number, content: EntryContent): Promise<void> {
    const blob = await this.stage(size, content);
    this.folder ??= path.slice(0, path.indexOf('/') + 1);
    if (!path.startsWith(this.folder)) this.folder = '';
    this.files.push({ path, sha256: blob.sha256, size: blob.size });
    if (this.staged.has(blob.sha256)) {
      await blob.discard();
      return;
    }
    this.staged.set(blob.sha256, blob);
    await this.room.take(blob);
  }

  /**
   * Small files wait in memory while there are not too many of them; each is written to the disk only once.
   */
  private async stage(size: number, content: EntryContent): Promise<StagedContent> {
    const { blobs } = this;
    if (size > BUFFERED_FILE_BYTES_MAX || !this.memory.take(size)) {
      const blob = await blobs.stage(content.stream, { sizeMax: size });
      this.temporary.push(blob);
      return blob;
    }
    this.bufferedBytes += size;
    const bytes = await content.buffer();
    const sha256 = hash('sha256', bytes);
    return {
      sha256,
      size: bytes.byteLength,
      store: () =>
        blobs.put(sha256, 'identity', bytes, {
          size: bytes.byteLength,
          isDeferred: true,
          client: this.client,
        }),
      discard: async () => undefined,
    };
  }

  /** Yields the manifest, without the single folder around everything, if there is one. */
  *manifest(): Generator<ManifestFile> {
    const cut = this.folder?.length ?? 0;
    for (const file of this.files) yield cut === 0 ? file : { ...file, path: file.path.slice(cut) };
  }

  get(sha256: string): StagedContent | undefined {
    return this.staged.get(sha256);
  }

  /** Deletes every temporary file and frees the memory. */
  async discard(): Promise<void> {
    this.memory.give(this.bufferedBytes);
    this.bufferedBytes = 0;
    await mapConcurrently(this.temporary, DISCARDED_AT_ONCE, (blob) => blob.discard());
  }
}

/**
 * Returns the bytes of an entry.
 * @throws limit_file_bytes when there are more than announced, because only those were counted
 */
export async function readEntryBytes(content: Readable, sizeMax: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunksOf(content)) {
    size += chunk.byteLength;
    if (size > sizeMax) throw new AppError('limit_file_bytes', { path: 'sent', limit: sizeMax });
    parts.push(chunk);
  }
  return Buffer.concat(parts, size);
}
