import type { App, RequestContext } from '#server/context.ts';
import { findDamage } from '../../scrub/find-damage.ts';
import { runScrub } from '../../scrub/run-scrub.ts';
import { openStuckWork } from '../../stuck-work/open-stuck-work.ts';
import { LOST_FILES_JOB } from '../rules.ts';

interface StoredFile {
  /** Its hash. */
  id: string;
  size: number;
}

/**
 * Reads a part of what sites have deployed again. Content that is missing, truncated or changed is listed as
 * stuck work, with a file it belongs to; from then on it counts as missing, and the next deploy sends it
 * again. Returns how many contents were read.
 */
export function scrubFiles({ app }: RequestContext, stopping: AbortSignal): Promise<number> {
  return runScrub<StoredFile>(
    app,
    {
      job: LOST_FILES_JOB,
      positionName: 'scrub of files',
      finishedMessage: 'all that sites have deployed was read',
      list: (afterId, limit) =>
        selectStored(app).where('sha256', '>', afterId).orderBy('sha256').limit(limit).execute(),
      find: (id) => selectStored(app).where('sha256', '=', id).executeTakeFirst(),
      findDamage: (file, signal) => findFileDamage(app, file, signal),
      describe: ({ id }) => describe(app, id),
    },
    stopping,
  );
}

/**
 * Records content that an edge could not find or found damaged, if it really is. Returns whether it is lost.
 */
export async function noteLostFile(app: App, sha256: string): Promise<boolean> {
  const stored = await selectStored(app).where('sha256', '=', sha256).executeTakeFirst();
  if (stored === undefined) return false;
  const damage = await findFileDamage(app, stored, new AbortController().signal);
  if (damage === null) return false;
  const stuck = await openStuckWork(app, LOST_FILES_JOB);
  // Each edge reports it once a minute for as long as visitors ask for it.
  if (stuck.isWaiting(sha256)) return true;
  await stuck.fail(sha256, new Error(`${damage}: ${await describe(app, sha256)}`));
  return true;
}

function findFileDamage(
  { blobs }: App,
  { id, size }: StoredFile,
  stopping: AbortSignal,
): Promise<string | null> {
  const intact = { size, algorithm: 'sha256', digest: id } as const;
  return findDamage(blobs, () => blobs.open(id, 'identity'), intact, stopping);
}

/** A row that no organization has may belong to an upload that is still arriving. */
function selectStored({ db }: App) {
  return db
    .selectFrom('blobs')
    .select(['sha256 as id', 'size'])
    .where('condemned_at', 'is', null)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('organization_blobs')
          .select('organization_blobs.sha256')
          .whereRef('organization_blobs.sha256', '=', 'blobs.sha256'),
      ),
    );
}

async function describe({ db }: App, sha256: string): Promise<string> {
  const file = await db
    .selectFrom('version_files')
    .innerJoin('site_versions', 'site_versions.id', 'version_files.version_id')
    .innerJoin('sites', 'sites.id', 'site_versions.site_id')
    .select(['version_files.path', 'site_versions.number', 'sites.subdomain'])
    .where('version_files.sha256', '=', sha256)
    .executeTakeFirst();
  if (file === undefined) return `content ${sha256} of no version`;
  return `the file ${JSON.stringify(file.path)} of version ${file.number} of the site ${file.subdomain} (${sha256})`;
}
