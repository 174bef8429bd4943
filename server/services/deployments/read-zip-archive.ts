import type { Readable } from 'node:stream';
import { Transform, type TransformCallback } from 'node:stream';
import { crc32 } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { AppError } from '#server/errors.ts';
import { mapConcurrently } from '#server/map-concurrently.ts';
import {
  type ArchiveContents,
  archiveEntriesMax,
  readEntryPath,
  requireBelievableExpansion,
} from './archive-entries.ts';
import { type ManifestLimits, pathProblemParams } from './manifest-rules.ts';

const ENTRIES_AT_ONCE = 16;
const LOCAL_HEADER_BYTES = 30;

/** Bits of a Unix file mode in the upper half of an entry's external attributes. */
const MODE_TYPE = 0o170_000;
const MODE_FILE = 0o100_000;
const MODE_FOLDER = 0o040_000;
const MADE_BY_UNIX = 3;

interface AcceptedEntry {
  entry: Entry;
  path: string;
}

/**
 * Takes the files of a zip archive on disk. Everything that can be known from its directory is checked before anything is
 * unpacked.
 * @throws archive_entry_refused for links, encrypted, overlapping or otherwise strange entries; unsafe_path,
 * archive_invalid, limits
 */
export async function readZipArchive(
  archive: { path: string; size: number },
  contents: ArchiveContents,
  limits: ManifestLimits,
): Promise<void> {
  const zip = await openPromise(archive.path, { autoClose: false }).catch((error: unknown) => {
    throw asArchiveError(error);
  });
  try {
    const accepted = await readDirectory(zip, contents, limits);
    requireBelievableExpansion(
      archive.size,
      accepted.reduce((sum, { entry }) => sum + entry.uncompressedSize, 0),
    );
    await mapConcurrently(accepted, ENTRIES_AT_ONCE, async ({ entry, path }) => {
      const content = await openEntry(zip, entry, path);
      await contents.add(path, entry.uncompressedSize, content);
    });
  } catch (error) {
    throw asArchiveError(error);
  } finally {
    zip.close();
  }
}

async function readDirectory(
  zip: ZipFile,
  contents: ArchiveContents,
  limits: ManifestLimits,
): Promise<AcceptedEntry[]> {
  if (zip.entryCount > archiveEntriesMax(limits))
    throw new AppError('limit_files', { limit: limits.filesMax });
  const entries: Entry[] = [];
  const accepted: AcceptedEntry[] = [];
  for await (const entry of zip.eachEntry()) {
    entries.push(entry);
    if (isFolder(entry)) continue;
    const path = readEntryPath(entry.fileName);
    if (path === null) continue;
    requireOrdinary(entry);
    contents.announce(path, entry.uncompressedSize);
    accepted.push({ entry, path });
  }
  requireApart(entries);
  return accepted;
}

function isFolder(entry: Entry): boolean {
  return entry.fileName.endsWith('/') && entry.uncompressedSize === 0;
}

function requireOrdinary(entry: Entry): void {
  const refuse = (reason: string) => {
    throw new AppError('archive_entry_refused', { path: entry.fileName.slice(0, 200), reason });
  };
  if (entry.isEncrypted()) refuse('it is encrypted');
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8)
    refuse('its compression is not supported');
  const type = (entry.externalFileAttributes >>> 16) & MODE_TYPE;
  const isFromUnix = entry.versionMadeBy >> 8 === MADE_BY_UNIX;
  if (isFromUnix && type !== 0 && type !== MODE_FILE && type !== MODE_FOLDER)
    refuse('it is a link or a device');
}

/**
 * Goes on when no two entries share bytes of the archive: sharing them is how a small archive unpacks to petabytes. The
 * local header may be longer than its minimum, never shorter, so whatever overlaps here overlaps in truth.
 */
function requireApart(entries: readonly Entry[]): void {
  const ordered = [...entries].sort((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader);
  let end = 0;
  for (const entry of ordered) {
    if (entry.relativeOffsetOfLocalHeader < end) {
      const path = entry.fileName.slice(0, 200);
      throw new AppError('archive_entry_refused', { path, reason: 'it overlaps another entry' });
    }
    end =
      entry.relativeOffsetOfLocalHeader + LOCAL_HEADER_BYTES + entry.fileNameLength + entry.compressedSize;
  }
}

async function openEntry(zip: ZipFile, entry: Entry, path: string): Promise<Readable> {
  const packed = await zip.openReadStreamPromise(entry);
  const checked = new ChecksumCheck(entry.crc32, path);
  packed.on('error', (error) => checked.destroy(asArchiveErrorOf(error)));
  return packed.pipe(checked);
}

/** Passes content on and fails at its end when the checksum of the directory says otherwise. */
class ChecksumCheck extends Transform {
  private readonly expected: number;
  private readonly path: string;
  private actual = 0;

  constructor(expected: number, path: string) {
    super();
    this.expected = expected;
    this.path = path;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, callback: TransformCallback): void {
    this.actual = crc32(chunk, this.actual);
    callback(null, chunk);
  }

  override _flush(callback: TransformCallback): void {
    const isRight = this.actual === this.expected >>> 0;
    callback(
      isRight ? null : new AppError('archive_invalid', { reason: `the content of ${this.path} is damaged` }),
    );
  }
}

/** yauzl tells what is wrong only in words. Unsafe names are the ones worth telling apart. */
function asArchiveError(error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error;
  if ('code' in error && typeof error.code === 'string' && !error.code.startsWith('Z_')) return error;
  const unsafe = /^(?:invalid relative path|absolute path|invalid characters in fileName): (.*)$/s.exec(
    error.message,
  );
  if (unsafe) {
    const path = JSON.stringify((unsafe[1] ?? '').slice(0, 200)).slice(1, -1);
    return new AppError('unsafe_path', pathProblemParams(path, 'dot_segment'), [], { cause: error });
  }
  const reason = error.message.replace(/\.$/, '').slice(0, 200);
  return new AppError('archive_invalid', { reason }, [], { cause: error });
}

function asArchiveErrorOf(error: Error): Error {
  const mapped = asArchiveError(error);
  return mapped instanceof Error ? mapped : error;
}
