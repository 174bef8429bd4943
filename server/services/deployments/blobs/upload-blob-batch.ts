import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { Executor } from '#db/client.ts';
import type { Slice } from '#server/concurrency/time-slices.ts';
import { type OrganizationContext, requireAction } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { findRoomForContent, takeRoom } from '../../limits/require-room-for-content.ts';
import { requireSite } from '../../sites/require-site.ts';
import { readTar, type TarEntry } from '../archives/read-tar.ts';
import { countMissing, findMissingHashes, getOpenVersionRow } from '../queries.ts';
import { COUNTED_FILES_MAX, type uploadResult, versionInput } from '../schema.ts';
import { touchVersion } from '../touch-version.ts';
import { BoundedTasks } from './bounded-tasks.ts';
import { announceBlobs, registerBlobs } from './register-blobs.ts';
import { namingFile } from './upload-blob.ts';

/** Smaller content is read into memory, so that many files are written and synced concurrently. */
const BUFFERED_BYTES_MAX = 1024 * 1024;
/** Small files of one portion are written together, on their own threads (small-file-writer.ts). */
const WRITES_AT_ONCE = 500;
const BYTES_AT_ONCE = 32 * 1024 * 1024;
/**
 * Small entries are looked up, written and registered in such portions, each with one sync of the folders; an
 * interrupted batch keeps them.
 */
const LOOKED_UP_AT_ONCE = 1000;
const BYTES_LOOKED_UP_AT_ONCE = 8 * 1024 * 1024;

interface EntryName {
  sha256: string;
  size: number;
}

interface ExpectedFile extends EntryName {
  path: string;
}

/**
 * Receives many contents in one request: a tar stream whose entries are named by their SHA-256. Each is
 * verified against the manifest; what arrived before an interruption is kept. Returns how many were new and
 * how many are still missing.
 * @throws blob_not_expected, hash_mismatch and size_mismatch naming the file, archive_invalid,
 * archive_entry_refused, upload_interrupted, storage_full, version_sealed, limit_stored_bytes,
 * organization_busy; permission_required, out_of_scope, site_not_found, version_not_found
 */
export async function uploadBlobBatch(
  context: OrganizationContext,
  input: z.input<typeof versionInput>,
  content: Readable,
): Promise<z.infer<typeof uploadResult>> {
  requireAction(context, 'deployment.create');
  const { site_id, version_id } = versionInput.parse(input);
  const { app, organization } = context;
  const site = await requireSite(app.db, context, site_id, 'write');
  const version = await getOpenVersionRow(app.db, site, version_id);
  await touchVersion(app, version);
  const batch = new UploadBatch(context, version, await findRoomForContent(app.db, app, organization.id));
  try {
    for await (const entry of readTar(content)) await batch.add(entry);
    await batch.write();
  } catch (error) {
    // Further errors in the rest of the batch no longer matter.
    await batch.settle().catch(() => undefined);
    throw error;
  } finally {
    batch.end();
  }
  const isCounted = version.file_count <= COUNTED_FILES_MAX;
  const missing_count = isCounted ? await countMissing(app.db, organization.id, version.id) : null;
  return { received: batch.received, missing_count };
}

interface BufferedEntry {
  entry: EntryName;
  body: Buffer;
}

/**
 * Processes the entries of one request: looked up in portions, written concurrently, registered once they are
 * durable.
 */
class UploadBatch {
  received = 0;
  private readonly context: OrganizationContext;
  private readonly versionId: string;
  private readonly slice: Slice;
  private readonly tasks = new BoundedTasks(WRITES_AT_ONCE, BYTES_AT_ONCE);
  private buffered: BufferedEntry[] = [];
  private bufferedBytes = 0;
  private durable: { sha256: string; size: number }[] = [];

  /**
   * What this request may still store, as far as it knows; in the end the transaction decides
   * (register-blobs.ts).
   */
  private room: number;
  private readonly limit: number;
  /** Content of this request that is not registered yet, and what ends its arrival. */
  private readonly arriving = new Map<string, () => void>();
  private arrivingBytes = 0;

  constructor(
    context: OrganizationContext,
    version: { id: string },
    { room, limit }: { room: number; limit: number },
  ) {
    this.context = context;
    this.versionId = version.id;
    this.room = room;
    this.limit = limit;
    this.slice = context.app.slices.begin(context.organization.id);
  }

  /** Adds an entry. Small ones wait for others, so that they are looked up together. */
  async add(entry: TarEntry): Promise<void> {
    await this.slice.breathe();
    const { name, type, size } = entry;
    if (type !== 'file') {
      throw new AppError('archive_entry_refused', { path: name, reason: 'it is not a file' });
    }
    const named = { sha256: name.replace(/^\.\//, ''), size };
    if (size > BUFFERED_BYTES_MAX) {
      const { wanted, refusal } = await this.findWanted([named]);
      if (refusal) throw refusal;
      const [file] = await this.announce(wanted);
      if (file) await this.put(file, entry.stream);
      else await entry.discard();
      await this.register();
      return;
    }
    this.buffered.push({ entry: named, body: await entry.buffer() });
    this.bufferedBytes += size;
    if (this.buffered.length >= LOOKED_UP_AT_ONCE || this.bufferedBytes >= BYTES_LOOKED_UP_AT_ONCE) {
      await this.write();
    }
  }

  /** Writes what is waiting. */
  async write(): Promise<void> {
    const { buffered } = this;
    this.buffered = [];
    this.bufferedBytes = 0;
    const { wanted, refusal } = await this.findWanted(buffered.map(({ entry }) => entry));
    const bodyOf = new Map(buffered.map(({ entry, body }) => [entry.sha256, body]));
    for (const file of await this.announce(wanted)) {
      const body = bodyOf.get(file.sha256);
      if (body) await this.tasks.add(file.size, this.put(file, body));
      await this.slice.breathe();
    }
    await this.tasks.finish();
    await this.register();
    if (refusal) throw refusal;
  }

  /** Keeps what has arrived, whatever happened to the rest. */
  async settle(): Promise<void> {
    try {
      await this.write();
    } finally {
      await this.tasks.settle();
      await this.register();
    }
  }

  /** Stops counting what did not become the organization's. */
  end(): void {
    for (const end of this.arriving.values()) end();
    this.arriving.clear();
  }

  /** Returns the entries that the organization has not sent yet, up to the first refused one. */
  private async findWanted(
    entries: readonly EntryName[],
  ): Promise<{ wanted: ExpectedFile[]; refusal: AppError | null }> {
    if (entries.length === 0) return { wanted: [], refusal: null };
    const { app, organization } = this.context;
    const hashes = [...new Set(entries.map(({ sha256 }) => sha256))];
    const expected = await findExpectedFiles(app.db, this.versionId, hashes);
    const refusals = entries.map((entry) => refusalOf(entry, expected));
    const firstRefused = refusals.findIndex((refusal) => refusal !== null);
    const accepted = firstRefused < 0 ? hashes : entries.slice(0, firstRefused).map(({ sha256 }) => sha256);
    const missing = await findMissingHashes(app.db, organization.id, [...new Set(accepted)]);
    const wanted = missing.map((sha256) => expected.get(sha256)).filter((file) => file !== undefined);
    for (const [index, file] of wanted.entries()) {
      try {
        this.take(file);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        return { wanted: wanted.slice(0, index), refusal: error };
      }
    }
    return { wanted, refusal: refusals[firstRefused] ?? null };
  }

  /** @throws limit_stored_bytes, organization_busy */
  private take(file: ExpectedFile): void {
    if (this.arriving.has(file.sha256)) return;
    const { app, organization } = this.context;
    const { room, limit, arrivingBytes: ownBytes } = this;
    this.arriving.set(file.sha256, takeRoom(app, organization.id, file, { room, limit, ownBytes }));
    this.arrivingBytes += file.size;
  }

  /** Returns the files whose content may be stored now; what a collector is removing stays missing. */
  private async announce(files: readonly ExpectedFile[]): Promise<ExpectedFile[]> {
    const { app, organization } = this.context;
    const writable = new Set(await announceBlobs(app, organization.id, files));
    return files.filter(({ sha256 }) => writable.has(sha256));
  }

  private async put({ sha256, path, size }: ExpectedFile, body: Buffer | Readable): Promise<void> {
    const { app, organization } = this.context;
    await app.blobs
      .put(sha256, 'identity', body, { size, isDeferred: true, client: organization.id })
      .catch((error: unknown) => Promise.reject(namingFile(error, path)));
    this.durable.push({ sha256, size });
  }

  private async register(): Promise<void> {
    const { app, organization } = this.context;
    const portion = this.durable;
    this.durable = [];
    if (portion.length === 0) return;
    await app.blobs.settle();
    const gone = await registerBlobs(app, organization.id, portion);
    this.received += portion.length - gone.length;
    for (const { sha256, size } of portion) {
      this.arriving.get(sha256)?.();
      this.arriving.delete(sha256);
      this.arrivingBytes -= size;
      this.room -= size;
    }
  }
}

async function findExpectedFiles(
  executor: Executor,
  versionId: string,
  hashes: readonly string[],
): Promise<Map<string, ExpectedFile>> {
  const rows = await executor
    .selectFrom('version_files')
    .select(['sha256', 'size', (eb) => eb.fn.min('path').as('path')])
    .where('version_id', '=', versionId)
    .where('sha256', 'in', hashes)
    .groupBy(['sha256', 'size'])
    .execute();
  return new Map(rows.map((row) => [row.sha256, row]));
}

/** Returns why an entry is refused, or null: blob_not_expected, size_mismatch. */
function refusalOf(
  { sha256, size }: EntryName,
  expected: ReadonlyMap<string, ExpectedFile>,
): AppError | null {
  const file = expected.get(sha256);
  if (!file) return new AppError('blob_not_expected', { sha256: sha256.slice(0, 100) });
  if (size === file.size) return null;
  return new AppError('size_mismatch', { path: file.path, actual: size, expected: file.size });
}
