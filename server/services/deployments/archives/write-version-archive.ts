import type { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Pack, pack } from 'tar-stream';
import type { z } from 'zod';
import { drainedOrClosed } from '#server/concurrency/drained-or-closed.ts';
import { type App, type OrganizationContext, requireAction } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { requireSite } from '../../sites/require-site.ts';
import { openBlobStream } from '../blobs/open-blob-stream.ts';
import { type VersionFileRow, versionFileRows } from '../manifests/version-file-rows.ts';
import { getVersionRow, type VersionRow } from '../queries.ts';
import { versionInput } from '../schema.ts';

/** A whole version as `tar.gz`. The caller reads or destroys the stream. */
export interface VersionArchive {
  stream: Readable;
  filename: string;
}

type ArchivedVersion = Pick<VersionRow, 'id' | 'organization_id'>;

/**
 * Returns a sealed version as a stream of `tar.gz`, created while it is read; deploying it again gives the
 * same files.
 * @throws version_not_sealed, organization_busy, out_of_scope, site_not_found, version_not_found
 */
export async function writeVersionArchive(
  context: OrganizationContext,
  input: z.input<typeof versionInput>,
): Promise<VersionArchive> {
  requireAction(context, 'site.read');
  const { site_id, version_id } = versionInput.parse(input);
  const { app } = context;
  const site = await requireSite(app.db, context, site_id, 'read');
  const version = await getVersionRow(app.db, site, version_id);
  if (version.sealed_at === null) throw new AppError('version_not_sealed');
  const stream = await openArchive(app, version, new Date(version.sealed_at));
  return {
    stream,
    filename: `${site.subdomain}-v${version.number}.tar.gz`,
  };
}

/**
 * Begins an archive; its organization occupies a place for it until the reader has all of it or disconnects.
 * @throws organization_busy
 */
async function openArchive(app: App, version: ArchivedVersion, mtime: Date): Promise<Readable> {
  const opened = Promise.withResolvers<Readable>();
  app.deployWork.downloads
    .run(version.organization_id, async () => {
      const stream = streamArchive(app, version, mtime);
      opened.resolve(stream);
      await finished(stream).catch(() => undefined);
    })
    .catch(opened.reject);
  return opened.promise;
}

/** Packs file after file as fast as the reader reads them; a reader that disconnects ends it. */
function streamArchive(app: App, version: ArchivedVersion, mtime: Date): Readable {
  const tar = pack();
  const output = createGzip();
  const fail = (error: unknown) => {
    if (output.destroyed) return;
    app.logger.error({ err: error }, 'an archive could not be written');
    output.destroy(error instanceof Error ? error : new Error(String(error)));
  };
  output.once('close', () => tar.destroy(null));
  packFiles(app, tar, version, mtime).catch(fail);
  pipeline(tar, output).catch(fail);
  return output;
}

async function packFiles(app: App, tar: Pack, version: ArchivedVersion, mtime: Date): Promise<void> {
  const slice = app.slices.begin(version.organization_id);
  for await (const files of versionFileRows(app.db, version, slice)) {
    for (const file of files) {
      if (!(await packFile(app, tar, file, mtime))) return;
      await slice.breathe();
    }
  }
  tar.finalize();
}

/** Packs one file; returns false when the archive is not needed any more. */
async function packFile(
  app: App,
  tar: Pack,
  { path, sha256, size }: VersionFileRow,
  mtime: Date,
): Promise<boolean> {
  const content = await openBlobStream(app.blobs, sha256);
  if (!content) throw new Error(`the store has lost ${sha256}`);
  try {
    // A HEAD request, or a 304 once its tag was known.
    if (tar.destroyed) return false;
    const entry = tar.entry({ name: path, size, mtime, mode: 0o644 });
    for await (const chunk of content) {
      if (!entry.write(chunk)) await drainedOrClosed(entry);
      if (tar.destroyed) return false;
    }
    entry.end(undefined);
    return true;
  } finally {
    content.destroy();
  }
}
