import { type FileHandle, open } from 'node:fs/promises';
import { pipeline, Readable, Transform, type TransformCallback } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import { type Entry, fromFdPromise, getFileNameLowLevel, type ZipFile } from 'yauzl';
import { mapConcurrently } from '#server/concurrency/map-concurrently.ts';
import type { Slice } from '#server/concurrency/time-slices.ts';
import { AppError } from '#server/errors.ts';
import type { ManifestLimits } from '../manifests/manifest-rules.ts';
import {
  type ArchiveContents,
  archiveEntriesMax,
  readEntryBytes,
  readEntryPath,
  requireBelievableExpansion,
} from './archive-entries.ts';

const ENTRIES_AT_ONCE = 16;
const READ_BYTES = 64 * 1024;
const LOCAL_HEADER_BYTES = 30;
const STORED = 0;
const DEFLATED = 8;
/** As much of a name as an error shows. */
const SHOWN_NAME_MAX = 200;
const NOTHING = Buffer.alloc(0);

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
 * Reads the files of a zip archive on disk. Everything that can be known from its directory is checked before
 * anything is unpacked.
 * @throws archive_entry_refused for links, encrypted, overlapping or otherwise unusual entries; unsafe_path,
 * archive_invalid, limits
 */
export async function readZipArchive(
  archive: { path: string; size: number },
  contents: ArchiveContents,
  limits: ManifestLimits,
  slice: Slice,
): Promise<void> {
  // We must close the file: as long as it is open, its bytes stay on the disk.
  const file = await open(archive.path, 'r');
  try {
    const zip = await fromFdPromise(file.fd, { autoClose: false, decodeStrings: false });
    const accepted = await readDirectory(zip, contents, limits, slice);
    requireBelievableExpansion(
      archive.size,
      accepted.reduce((sum, { entry }) => sum + entry.uncompressedSize, 0),
    );
    await mapConcurrently(accepted, ENTRIES_AT_ONCE, async ({ entry, path }) => {
      const content = await openEntry(file, zip, entry, path);
      try {
        const size = entry.uncompressedSize;
        await contents.add(path, size, { stream: content, buffer: () => readEntryBytes(content, size) });
      } finally {
        // When content is refused, it is left unread.
        content.destroy();
      }
      await slice.breathe();
    });
  } catch (error) {
    throw asArchiveError(error);
  } finally {
    await file.close();
  }
}

async function readDirectory(
  zip: ZipFile,
  contents: ArchiveContents,
  limits: ManifestLimits,
  slice: Slice,
): Promise<AcceptedEntry[]> {
  if (zip.entryCount > archiveEntriesMax(limits))
    throw new AppError('limit_files', { limit: limits.filesMax });
  const entries: Entry[] = [];
  const accepted: AcceptedEntry[] = [];
  for await (const entry of zip.eachEntry()) {
    // The reader's own rules for names refuse `a:b.txt`; ours are applied in readEntryPath.
    const { generalPurposeBitFlag, fileNameRaw, extraFields } = entry;
    const name = getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false);
    forgetBytes(entry, name);
    entries.push(entry);
    await slice.breathe();
    if (name.endsWith('/') && entry.uncompressedSize === 0) continue;
    const path = readEntryPath(name);
    if (path === null) continue;
    requireOrdinary(entry);
    contents.announce(path, entry.uncompressedSize);
    accepted.push({ entry, path });
  }
  requireApart(entries);
  return accepted;
}

/**
 * Drops what was read of an entry except its numbers and the beginning of its name: up to 192 KiB of name,
 * comment and extra fields, of which the reader makes thousands of objects, for each of 200,000 entries.
 */
function forgetBytes(entry: Entry, name: string): void {
  // A copy: a part of a text keeps all of it.
  const shown = Buffer.from(name.slice(0, SHOWN_NAME_MAX)).toString();
  Object.assign(entry, {
    fileName: shown,
    fileNameRaw: NOTHING,
    extraFields: [],
    extraFieldRaw: NOTHING,
    fileComment: NOTHING,
    comment: NOTHING,
    fileCommentRaw: NOTHING,
  });
}

function requireOrdinary(entry: Entry): void {
  const refuse = (reason: string) => {
    throw new AppError('archive_entry_refused', { path: entry.fileName, reason });
  };
  if (entry.isEncrypted()) refuse('it is encrypted');
  if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED)
    refuse('its compression is not supported');
  const type = (entry.externalFileAttributes >>> 16) & MODE_TYPE;
  const isFromUnix = entry.versionMadeBy >> 8 === MADE_BY_UNIX;
  if (isFromUnix && type !== 0 && type !== MODE_FILE && type !== MODE_FOLDER)
    refuse('it is a link or a device');
}

/**
 * Requires that no two entries share bytes of the archive: sharing them is how a small archive unpacks to
 * petabytes. The local header may be longer than its minimum, never shorter, so entries that overlap here
 * really overlap.
 */
function requireApart(entries: readonly Entry[]): void {
  const ordered = [...entries].sort((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader);
  let end = 0;
  for (const entry of ordered) {
    if (entry.relativeOffsetOfLocalHeader < end) {
      throw new AppError('archive_entry_refused', {
        path: entry.fileName,
        reason: 'it overlaps another entry',
      });
    }
    end =
      entry.relativeOffsetOfLocalHeader + LOCAL_HEADER_BYTES + entry.fileNameLength + entry.compressedSize;
  }
}

/**
 * Returns the content of an entry. yauzl reads only the headers: a stream of its own that is abandoned while
 * it waits for its turn to read ends the process.
 */
async function openEntry(file: FileHandle, zip: ZipFile, entry: Entry, path: string): Promise<Readable> {
  const { fileDataStart: start } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
  const packed = Readable.from(readPart(file, start, entry.compressedSize));
  const content = new ContentCheck(entry, path);
  const inflate = createInflateRaw();
  // Before the pipeline gets it, which would pass on zlib's own error.
  inflate.on('error', (error) => content.destroy(asArchiveErrorOf(error)));
  const isDeflated = entry.compressionMethod === DEFLATED;
  pipeline(isDeflated ? [packed, inflate, content] : [packed, content], () => undefined);
  // A reader that begins later gets it then; an error without a listener would end the process.
  content.on('error', () => undefined);
  return content;
}

/** Reads a part of a file. The handle would keep its own streams until it is closed: one for each entry. */
async function* readPart(file: FileHandle, start: number, size: number): AsyncGenerator<Buffer> {
  for (let read = 0; read < size; ) {
    const target = Buffer.allocUnsafe(Math.min(READ_BYTES, size - read));
    const { bytesRead } = await file.read(target, 0, target.byteLength, start + read);
    if (bytesRead === 0) return;
    read += bytesRead;
    yield target.subarray(0, bytesRead);
  }
}

/**
 * Passes content on and fails when it does not match the directory: by its length, at its end by its
 * checksum.
 */
class ContentCheck extends Transform {
  private readonly entry: Entry;
  private readonly path: string;
  private checksum = 0;
  private bytes = 0;

  constructor(entry: Entry, path: string) {
    super();
    this.entry = entry;
    this.path = path;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, callback: TransformCallback): void {
    this.checksum = crc32(chunk, this.checksum);
    this.bytes += chunk.byteLength;
    if (this.bytes > this.entry.uncompressedSize) callback(this.damaged());
    else callback(null, chunk);
  }

  override _flush(callback: TransformCallback): void {
    const { uncompressedSize, crc32: expected } = this.entry;
    const isRight = this.bytes === uncompressedSize && this.checksum === expected >>> 0;
    callback(isRight ? null : this.damaged());
  }

  private damaged(): AppError {
    return new AppError('archive_invalid', { reason: `the content of ${this.path} is damaged` });
  }
}

/** yauzl reports problems only as text. */
function asArchiveError(error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error;
  if ('code' in error && typeof error.code === 'string' && !error.code.startsWith('Z_')) return error;
  const reason = error.message.replace(/\.$/, '').slice(0, 200);
  return new AppError('archive_invalid', { reason }, [], { cause: error });
}

function asArchiveErrorOf(error: Error): Error {
  const mapped = asArchiveError(error);
  return mapped instanceof Error ? mapped : error;
}
