import { setImmediate } from 'node:timers/promises';
import type { z } from 'zod';
import type { Executor } from '#db/client.ts';
import { type OrganizationContext, requireAction } from '#server/context.ts';
import { requireSite } from '../../sites/require-site.ts';
import { previewRetentionInput, type RetentionPreview } from '../schema.ts';
import { type Retention, selectUnkeptVersions } from './retention-queries.ts';

/** Rows of manifests that are read to count the bytes; if there are more, they are not counted. */
const FILES_LOOKED_AT_MAX = 200_000;

/** Versions whose files one statement reads: most have few files, and a site may have thousands of versions. */
const VERSIONS_AT_ONCE = 500;

/** Rows that one statement reads; other work waits no longer than for these. */
const FILES_AT_ONCE = 2000;

/**
 * Returns which versions a site would lose now with these settings: how many, and about how many bytes of
 * content only they have in this site. Nothing changes.
 * @throws permission_required, out_of_scope, site_not_found
 */
export async function previewRetention(
  context: OrganizationContext,
  input: z.input<typeof previewRetentionInput>,
): Promise<RetentionPreview> {
  requireAction(context, 'site.read');
  const { site_id, ...retention } = previewRetentionInput.parse(input);
  const { db, clock } = context.app;
  const site = await requireSite(db, context, site_id, 'read');
  const unkept = selectUnkeptVersions(db, site, retention, clock.now());
  const { versions, files } = await unkept
    .select(({ fn }) => [
      fn.countAll<number>().as('versions'),
      fn.sum<number | null>('file_count').as('files'),
    ])
    .executeTakeFirstOrThrow();
  if (versions === 0) return { versions: 0, bytes: 0 };
  if ((files ?? 0) > FILES_LOOKED_AT_MAX) return { versions, bytes: null };
  return { versions, bytes: await countBytes(db, site, retention, clock.now()) };
}

/**
 * Content that a removed version has and the next remaining one does not is lost with it: a file that left a
 * site and came back later is the exception, and stays when it is collected.
 */
async function countBytes(
  db: Executor,
  site: { id: string; current_version_id: string | null },
  retention: Retention,
  now: number,
): Promise<number> {
  const unkept = await selectUnkeptVersions(db, site, retention, now).select(['id', 'number']).execute();
  const newest = Math.max(...unkept.map(({ number }) => number));
  const next = await db
    .selectFrom('site_versions')
    .select('id')
    .where('site_id', '=', site.id)
    .where('sealed_at', 'is not', null)
    .where('removed_at', 'is', null)
    .where('number', '>', newest)
    .orderBy('number')
    .limit(1)
    .executeTakeFirst();
  const kept = [next?.id, site.current_version_id].filter((id) => id != null);
  // Compared here: a statement that compares them reads those of the kept versions again for each portion.
  const known = new Set<string>();
  for await (const files of readFiles(db, kept)) for (const { sha256 } of files) known.add(sha256);
  let bytes = 0;
  const ids = unkept.map(({ id }) => id);
  for await (const files of readFiles(db, ids)) {
    for (const { sha256, size } of files) {
      if (!known.has(sha256)) bytes += size;
      known.add(sha256);
    }
  }
  return bytes;
}

/** Yields the files of versions in portions, between which other work takes its turn. */
async function* readFiles(db: Executor, versionIds: readonly string[]) {
  const ids = versionIds.toSorted();
  let path = '';
  for (let at = 0; at < ids.length; ) {
    // The rest of a version is read on its own: among others, PostgreSQL would read again what it has passed.
    const some = ids.slice(at, at + (path === '' ? VERSIONS_AT_ONCE : 1));
    const files = await db
      .selectFrom('version_files')
      .select(['version_id', 'path', 'sha256', 'size'])
      .where('version_id', 'in', some)
      .where('path', '>', path)
      .orderBy('version_id')
      .orderBy('path')
      .limit(FILES_AT_ONCE)
      .execute();
    yield files;
    const last = files.length < FILES_AT_ONCE ? undefined : files.at(-1);
    at = last ? ids.indexOf(last.version_id, at) : at + some.length;
    path = last?.path ?? '';
    await setImmediate();
  }
}
