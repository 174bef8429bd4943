import { Readable } from 'node:stream';
import { createGunzip, type Gunzip } from 'node:zlib';
import { drainedOrClosed } from '#server/concurrency/drained-or-closed.ts';
import type { Slice } from '#server/concurrency/time-slices.ts';
import { AppError, isNodeError } from '#server/errors.ts';
import type { ManifestLimits } from '../manifests/manifest-rules.ts';
import {
  type ArchiveContents,
  archiveEntriesMax,
  readEntryPath,
  requireBelievableExpansion,
} from './archive-entries.ts';
import { readTar } from './read-tar.ts';

/** Headers and padding: what a tar stream may contain besides its content. */
const OVERHEAD_BYTES_PER_ENTRY = 8 * 1024;

/**
 * Reads the files of a tar stream.
 * @throws archive_entry_refused for links, devices and the like; unsafe_path, archive_invalid,
 * upload_interrupted, limits
 */
export async function readTarArchive(
  content: Readable,
  contents: ArchiveContents,
  limits: ManifestLimits,
  options: { isGzipped: boolean; slice: Slice },
): Promise<void> {
  const entriesMax = archiveEntriesMax(limits);
  const bytesMax = limits.versionBytesMax + entriesMax * OVERHEAD_BYTES_PER_ENTRY;
  const tar = options.isGzipped ? gunzip(content, bytesMax) : content;
  let entries = 0;
  for await (const entry of readTar(tar, { requireEnd: true })) {
    entries += 1;
    await options.slice.breathe();
    if (entries > entriesMax) throw new AppError('limit_files', { limit: limits.filesMax });
    if (entry.type === 'directory') continue;
    if (entry.type === 'other') {
      const path = entry.name.slice(0, 200);
      throw new AppError('archive_entry_refused', { path, reason: `it is not a file but ${entry.kind}` });
    }
    const path = readEntryPath(entry.name);
    if (path === null) continue;
    contents.announce(path, entry.size);
    await contents.add(path, entry.size, entry);
  }
}

/** Unpacks while it arrives; a source that breaks off and a damaged archive are distinguished. */
function gunzip(content: Readable, bytesMax: number): Readable {
  const unpacker = createGunzip();
  const counts = { packed: 0 };
  void feed(content, unpacker, counts);
  async function* unpacked(): AsyncGenerator<Uint8Array, void, undefined> {
    let unpackedBytes = 0;
    try {
      for await (const chunk of unpacker) {
        unpackedBytes += chunk.byteLength;
        if (unpackedBytes > bytesMax) throw new AppError('limit_version_bytes', { limit: bytesMax });
        requireBelievableExpansion(counts.packed, unpackedBytes);
        yield chunk;
      }
    } catch (error) {
      if (!isNodeError(error) || !error.code?.startsWith('Z_')) throw error;
      const reason = error.code === 'Z_BUF_ERROR' ? 'it ends too early' : 'it is not valid gzip';
      throw new AppError('archive_invalid', { reason }, [], { cause: error });
    }
  }
  return Readable.from(unpacked(), { objectMode: false });
}

async function feed(content: Readable, unpacker: Gunzip, counts: { packed: number }): Promise<void> {
  const chunks: AsyncIterator<unknown> = content[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await chunks.next();
      if (unpacker.destroyed) return;
      if (next.done) break;
      if (!(next.value instanceof Uint8Array)) throw new TypeError('content must be bytes');
      counts.packed += next.value.byteLength;
      if (!unpacker.write(next.value)) await drainedOrClosed(unpacker);
    }
    unpacker.end();
  } catch (error) {
    unpacker.destroy(new AppError('upload_interrupted', {}, [], { cause: error }));
  }
}
