import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Pack, pack } from 'tar-stream';
import type { z } from 'zod';
import { type App, type OrganizationContext, requireAction } from '#server/context.ts';
import { drainedOrClosed } from '#server/drained-or-closed.ts';
import { AppError } from '#server/errors.ts';
import { requireSite } from '../sites/require-site.ts';
import { openBlobStream } from './open-blob-stream.ts';
import { getVersionRow } from './queries.ts';
import { versionInput } from './schema.ts';

/** A whole version as `tar.gz`. The caller reads or destroys the stream. */
export interface VersionArchive {
  stream: Readable;
  filename: string;
}

interface ArchivedFile {
  path: string;
  sha256: string;
  size: number;
}

/**
 * Returns a sealed version as a stream of `tar.gz`, made while it is read; deploying it again gives the same files.
 * @throws version_not_sealed, out_of_scope, site_not_found, version_not_found
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
  const files = await app.db
    .selectFrom('version_files')
    .select(['path', 'sha256', 'size'])
    .where('version_id', '=', version.id)
    .orderBy('path')
    .execute();
  return {
    stream: streamArchive(app, files, new Date(version.sealed_at)),
    filename: `${site.subdomain}-v${version.number}.tar.gz`,
  };
}

/** Packs file after file as fast as the reader takes them; a reader that goes away ends it. */
function streamArchive(app: App, files: readonly ArchivedFile[], mtime: Date): Readable {
  const tar = pack();
  const output = createGzip();
  const fail = (error: unknown) => {
    if (output.destroyed) return;
    app.logger.error({ err: error }, 'an archive could not be written');
    output.destroy(error instanceof Error ? error : new Error(String(error)));
  };
  output.once('close', () => tar.destroy(null));
  packFiles(app, tar, files, mtime).catch(fail);
  pipeline(tar, output).catch(fail);
  return output;
}

async function packFiles(app: App, tar: Pack, files: readonly ArchivedFile[], mtime: Date): Promise<void> {
  for (const { path, sha256, size } of files) {
    const content = await openBlobStream(app.blobs, sha256);
    if (!content) throw new Error(`the store has lost ${sha256}`);
    try {
      // Nobody may want the archive any more: a HEAD, or a 304 once its tag was known.
      if (tar.destroyed) return;
      const entry = tar.entry({ name: path, size, mtime, mode: 0o644 });
      for await (const chunk of content) {
        if (!entry.write(chunk)) await drainedOrClosed(entry);
        if (tar.destroyed) return;
      }
      entry.end(undefined);
    } finally {
      content.destroy();
    }
  }
  tar.finalize();
}
