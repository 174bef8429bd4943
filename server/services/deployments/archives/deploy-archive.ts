import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { z } from 'zod';
import { mapConcurrently } from '#server/concurrency/map-concurrently.ts';
import { type OrganizationContext, requireAction } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { StagedBlob } from '#server/store/blob-store.ts';
import { requireSite } from '../../sites/require-site.ts';
import { ContentRoom } from '../blobs/content-room.ts';
import { announceBlobs, registerBlobs } from '../blobs/register-blobs.ts';
import { cancelVersion } from '../cancel-version.ts';
import { createVersion } from '../create-version.ts';
import { requireManifest } from '../manifests/read-manifest.ts';
import { sortSteps } from '../manifests/sorting-rules.ts';
import type { ArchiveType } from '../rules.ts';
import { type DeployReport, deployArchiveInput } from '../schema.ts';
import { sealVersion } from '../seal-version.ts';
import { ArchiveContents, type StagedContent } from './archive-entries.ts';
import { readTarArchive } from './read-tar-archive.ts';
import { readZipArchive } from './read-zip-archive.ts';

/** Small files of these are written together, on their own threads (small-file-writer.ts). */
const WRITES_AT_ONCE = 400;
/** Content of one portion is registered together. */
const FILES_AT_ONCE = 2000;
const BYTES_AT_ONCE = 16 * 1024 * 1024;
/** How many archives of the largest size are held for one organization: the one that is read, and the next. */
const ARCHIVES_HELD_MAX = 2;
const RETRY_AFTER_SECONDS = 30;
/** Small enough that one chunk is unpacked and hashed in a few milliseconds. */
const READ_BYTES = 64 * 1024;

/**
 * Deploys an archive in one request and returns the deploy report. Entries are hashed and stored by content,
 * never by name; a single folder around everything is removed. No version exists until the archive has been
 * read to its end and checked, and after a failure nothing is left behind.
 * @throws archive_invalid, archive_entry_refused, unsafe_path, path_repeated, path_collision, path_under_file,
 * manifest_empty, limit_files, limit_file_bytes, limit_version_bytes, limit_body_bytes, limit_stored_bytes
 * and the like, upload_interrupted, storage_full, organization_busy; permission_required, out_of_scope,
 * site_not_found
 */
export async function deployArchive(
  context: OrganizationContext,
  input: z.input<typeof deployArchiveInput>,
  archive: { type: ArchiveType; content: Readable },
): Promise<DeployReport> {
  requireAction(context, 'deployment.create');
  const settings = deployArchiveInput.parse(input);
  const { app, organization } = context;
  await requireSite(app.db, context, settings.site_id, 'write');
  return app.deployWork.receptions.run(organization.id, () => receiveAndDeploy(context, settings, archive));
}

async function receiveAndDeploy(
  context: OrganizationContext,
  { site_id, message, source, publish }: z.output<typeof deployArchiveInput>,
  archive: { type: ArchiveType; content: Readable },
): Promise<DeployReport> {
  const { app, organization } = context;
  const spooled = await spool(context, archive.content);
  try {
    return await app.deployWork.archives.run(organization.id, async () => {
      const room = await ContentRoom.open(app, organization.id);
      const contents = new ArchiveContents(
        organization.id,
        app.blobs,
        app.config.deployLimits,
        room,
        app.deployWork.archiveMemory,
      );
      try {
        await readArchive(context, spooled, archive.type, contents);
        const manifest = await requireManifest(context, contents.manifest());
        const version = await createVersion(context, site_id, {
          ...manifest,
          message: message ?? null,
          source: source ?? null,
        });
        return await storeAndSeal(context, contents, version.missing, {
          site_id,
          version_id: version.id,
          publish,
        });
      } finally {
        await contents.discard();
      }
    });
  } finally {
    await spooled.discard();
  }
}

/** An archive on the disk. */
type Spooled = Pick<StagedBlob, 'path' | 'size' | 'discard'>;

/**
 * Receives the whole archive: the directory of a zip is at its end, and a slow sender must not occupy a place
 * where archives are read. What an organization's archives hold of the disk together is limited.
 * @throws limit_body_bytes, organization_busy, storage_full, upload_interrupted
 */
async function spool({ app, organization }: OrganizationContext, content: Readable): Promise<Spooled> {
  const sizeMax = app.config.deployLimits.versionBytesMax;
  const { archiveBytes } = app.deployWork;
  let held = 0;
  const giveBack = () => archiveBytes.give(organization.id, held);
  const count = async function* () {
    // The connection stays open for the response.
    for await (const chunk of content.iterator({ destroyOnReturn: false })) {
      const { byteLength } = chunk as Buffer;
      if (!archiveBytes.take(organization.id, byteLength, ARCHIVES_HELD_MAX * sizeMax)) {
        throw new AppError('organization_busy', { seconds: RETRY_AFTER_SECONDS });
      }
      held += byteLength;
      yield chunk;
    }
  };
  try {
    const spooled = await app.blobs.stage(Readable.from(count(), { objectMode: false }), { sizeMax });
    const { path, size } = spooled;
    return { path, size, discard: () => spooled.discard().finally(giveBack) };
  } catch (error) {
    giveBack();
    const isTooLarge = error instanceof AppError && error.code === 'limit_file_bytes';
    throw isTooLarge ? new AppError('limit_body_bytes', { limit: sizeMax }) : error;
  }
}

async function readArchive(
  { app, organization }: OrganizationContext,
  spooled: Spooled,
  type: ArchiveType,
  contents: ArchiveContents,
): Promise<void> {
  const limits = app.config.deployLimits;
  const slice = app.slices.begin(organization.id);
  if (type === 'zip') return readZipArchive(spooled, contents, limits, slice);
  const content = createReadStream(spooled.path, { highWaterMark: READ_BYTES });
  try {
    await readTarArchive(content, contents, limits, { isGzipped: type === 'tar.gz', slice });
  } finally {
    content.destroy();
  }
}

async function storeAndSeal(
  context: OrganizationContext,
  contents: ArchiveContents,
  missing: readonly string[],
  version: { site_id: string; version_id: string; publish: boolean },
): Promise<DeployReport> {
  try {
    await storeContents(context, contents, missing);
    return await sealVersion(context, version);
  } catch (error) {
    // If it cannot be cancelled now, it is collected as abandoned tomorrow.
    await cancelVersion(context, version).catch(() => undefined);
    throw error;
  }
}

/**
 * Writes content in portions; meanwhile the next one is announced and the previous one registered.
 * @throws conflict when a collector is removing some of it
 */
async function storeContents(
  { app, organization }: OrganizationContext,
  contents: ArchiveContents,
  missing: readonly string[],
): Promise<void> {
  const slice = app.slices.begin(organization.id);
  // Rows of one portion are then neighbours in the database, and its files in the store.
  const sorted = await slice.run(sortSteps(missing, (a, b) => (a < b ? -1 : 1)));
  const portions = portionsOf(contents, sorted);
  const take = (): StagedContent[] => portions.next().value ?? [];
  const announce = async (portion: StagedContent[]) => {
    const writable = await announceBlobs(app, organization.id, portion);
    if (writable.length < portion.length) throw new AppError('conflict');
  };
  // The seal that follows waits for the disk.
  const register = async (portion: StagedContent[]) => {
    const gone = await registerBlobs(app, organization.id, portion, { isDeferred: true });
    if (gone.length > 0) throw new AppError('conflict');
  };
  const store = async (portion: StagedContent[]) => {
    await mapConcurrently(portion, WRITES_AT_ONCE, (blob) => blob.store());
    await app.blobs.settle();
  };
  let before: StagedContent[] = [];
  let current = take();
  await announce(current);
  while (current.length > 0) {
    const next = take();
    const steps = [store(current), announce(next), register(before)];
    // Nothing is cancelled or discarded while one of the steps is still running.
    const failed = (await Promise.allSettled(steps)).find((step) => step.status === 'rejected');
    if (failed) throw failed.reason;
    [before, current] = [current, next];
  }
  await register(before);
}

/** Splits the content of the hashes, so that a limited amount waits to be registered. */
function* portionsOf(contents: ArchiveContents, hashes: readonly string[]): Generator<StagedContent[]> {
  let portion: StagedContent[] = [];
  let bytes = 0;
  for (const sha256 of hashes) {
    const blob = contents.get(sha256);
    if (blob === undefined) continue;
    portion.push(blob);
    bytes += blob.size;
    if (portion.length < FILES_AT_ONCE && bytes < BYTES_AT_ONCE) continue;
    yield portion;
    portion = [];
    bytes = 0;
  }
  if (portion.length > 0) yield portion;
}
