import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { AppError } from '#server/errors.ts';
import type { BlobStore, StagedBlob } from '#server/store/blob-store.ts';
import { chunksOf } from '#server/store/spool.ts';
import type { ContentRoom } from './content-room.ts';
import { checkPath, type ManifestFile, type ManifestLimits, pathProblemParams } from './manifest-rules.ts';

/** Text rarely shrinks to a twentieth; an archive beyond this ratio is made to hurt. */
const EXPANSION_MAX = 200;
/** Below this an archive may expand as it likes. */
const EXPANSION_FREE_BYTES = 64 * 1024 * 1024;

/** Files up to this size wait in memory, up to so much of them, until the whole archive is found good. */
const BUFFERED_FILE_BYTES_MAX = 256 * 1024;
const BUFFERED_BYTES_MAX = 48 * 1024 * 1024;

/** Content of an archive that is not in the store yet. */
type StagedContent = Omit<StagedBlob, 'path'>;

/** Goes on while an archive of `packedBytes` has expanded to no more than is believable. @throws archive_invalid */
export function requireBelievableExpansion(packedBytes: number, unpackedBytes: number): void {
  if (unpackedBytes <= EXPANSION_FREE_BYTES || unpackedBytes <= packedBytes * EXPANSION_MAX) return;
  throw new AppError('archive_invalid', {
    reason: `it expands to more than ${EXPANSION_MAX} times its size`,
  });
}

/** Most entries of an archive, folders and skipped ones included. */
export function archiveEntriesMax(limits: Pick<ManifestLimits, 'filesMax'>): number {
  return limits.filesMax * 2 + 1000;
}

/**
 * Returns the path of an archive's file as it will be stored, or null for what macOS adds by itself.
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

/** The files of an archive while it is being read: content in temporary files by hash, and the manifest it makes. */
export class ArchiveContents {
  private readonly blobs: BlobStore;
  private readonly limits: ManifestLimits;
  private readonly room: ContentRoom;
  private readonly files: ManifestFile[] = [];
  private readonly staged = new Map<string, StagedContent>();
  private fileCount = 0;
  private totalBytes = 0;
  private bufferedBytes = 0;

  constructor(blobs: BlobStore, limits: ManifestLimits, room: ContentRoom) {
    this.blobs = blobs;
    this.limits = limits;
    this.room = room;
  }

  /** Counts a file against the limits by its announced size, before any of it is read. */
  announce(path: string, size: number): void {
    const { filesMax, fileBytesMax, versionBytesMax } = this.limits;
    this.fileCount += 1;
    if (this.fileCount > filesMax) throw new AppError('limit_files', { limit: filesMax });
    if (size > fileBytesMax) throw new AppError('limit_file_bytes', { path, limit: fileBytesMax });
    this.totalBytes += size;
    if (this.totalBytes > versionBytesMax) {
      throw new AppError('limit_version_bytes', { limit: versionBytesMax });
    }
  }

  /** Takes an announced file's content. @throws limit_stored_bytes as soon as there is no room for what is new */
  async add(path: string, size: number, content: Readable): Promise<void> {
    const blob = await this.stage(size, content);
    this.files.push({ path, sha256: blob.sha256, size: blob.size });
    if (this.staged.has(blob.sha256)) {
      await blob.discard();
      return;
    }
    this.staged.set(blob.sha256, blob);
    await this.room.take(blob);
  }

  /** Small files wait in memory while there are not too many of them; the disk sees each only once. */
  private async stage(size: number, content: Readable): Promise<StagedContent> {
    const { blobs } = this;
    if (size > BUFFERED_FILE_BYTES_MAX || this.bufferedBytes + size > BUFFERED_BYTES_MAX) {
      return blobs.stage(content, { sizeMax: size });
    }
    this.bufferedBytes += size;
    const bytes = await readBytes(content, size);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return {
      sha256,
      size: bytes.byteLength,
      store: () => blobs.put(sha256, 'identity', bytes, { size: bytes.byteLength, isDeferred: true }),
      discard: async () => undefined,
    };
  }

  /** The manifest, without the one folder that everything lies in, if there is one. */
  manifest(): ManifestFile[] {
    const first = this.files[0]?.path ?? '';
    const folder = first.slice(0, first.indexOf('/') + 1);
    if (folder === '' || !this.files.every((file) => file.path.startsWith(folder))) return this.files;
    return this.files.map((file) => ({ ...file, path: file.path.slice(folder.length) }));
  }

  get(sha256: string): StagedContent | undefined {
    return this.staged.get(sha256);
  }

  /** Forgets every temporary file. */
  async discard(): Promise<void> {
    await Promise.all([...this.staged.values()].map((blob) => blob.discard()));
  }
}

/** @throws limit_file_bytes when there is more than was announced, which the announced sizes do not cover */
async function readBytes(content: Readable, sizeMax: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunksOf(content)) {
    size += chunk.byteLength;
    if (size > sizeMax) throw new AppError('limit_file_bytes', { path: 'sent', limit: sizeMax });
    parts.push(chunk);
  }
  return Buffer.concat(parts, size);
}
