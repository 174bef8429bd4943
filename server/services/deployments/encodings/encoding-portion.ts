import type { App } from '#server/context.ts';
import { ENCODED_BYTES_MIN, isCompressible } from '../rules.ts';
import { ENCODED_BYTES_MAX } from './encode-blob.ts';
import { isNeededFirst, readProgress, writeProgress } from './encoding-progress.ts';

/**
 * What one turn of an organization encodes at most: about half a second of work. Larger content has its own
 * turn.
 */
export const PORTION_BLOBS = 64;
const PORTION_BYTES = 2 * 1024 * 1024;
/**
 * Rows of a manifest that one statement reads, and how many such reads a turn makes when there is little to
 * encode.
 */
const ROWS_AT_ONCE = 250;
const READS_PER_PORTION = 40;

/** A version that does not have all its copies yet. */
export interface UnencodedVersion {
  id: string;
  organization_id: string;
  site_id: string;
  encoded_through: string;
}

/** What a turn encodes of a version. */
export interface EncodingPortion {
  blobs: { sha256: string; size: number }[];
  /** The version's progress once these are created. */
  through: string;
  /** Nothing follows them. */
  isLast: boolean;
}

/** Returns the organizations that have sealed versions without all their copies. */
export async function listWaitingOrganizations(app: App): Promise<string[]> {
  const rows = await selectUnencoded(app).select('site_versions.organization_id').distinct().execute();
  return rows.map((row) => row.organization_id);
}

/** Returns the next version of an organization: live versions before previews, newer before older. */
export function findNextVersion(app: App, organizationId: string): Promise<UnencodedVersion | undefined> {
  return selectUnencoded(app)
    .select([
      'site_versions.id',
      'site_versions.organization_id',
      'site_versions.site_id',
      'site_versions.encoded_through',
    ])
    .where('site_versions.organization_id', '=', organizationId)
    .orderBy(({ eb }) =>
      eb.case().when('sites.current_version_id', '=', eb.ref('site_versions.id')).then(0).else(1).end(),
    )
    .orderBy('site_versions.sealed_at', 'desc')
    .orderBy('site_versions.id')
    .limit(1)
    .executeTakeFirst();
}

function selectUnencoded({ db }: App) {
  return db
    .selectFrom('site_versions')
    .innerJoin('sites', 'sites.id', 'site_versions.site_id')
    .where('site_versions.sealed_at', 'is not', null)
    .where('site_versions.encoded_at', 'is', null)
    .where('site_versions.removed_at', 'is', null)
    .where('sites.deleted_at', 'is', null);
}

/** Returns the next portion of a version, without what `isLeftOut` excludes. */
export async function collectPortion(
  app: App,
  version: UnencodedVersion,
  isLeftOut: (sha256: string) => boolean,
): Promise<EncodingPortion> {
  const slice = app.slices.begin(version.organization_id);
  const blobs = new Map<string, { sha256: string; size: number }>();
  let bytes = 0;
  let { step, path } = readProgress(version.encoded_through);
  const portion = (isLast: boolean): EncodingPortion => ({
    blobs: [...blobs.values()],
    through: writeProgress({ step, path }),
    isLast,
  });
  for (let read = 0; read < READS_PER_PORTION; read += 1) {
    const rows = await readFiles(app, version, path);
    for (const { sha256, size, content_type, encoded_at, path: itsPath } of rows) {
      const isWanted =
        encoded_at === null &&
        size >= ENCODED_BYTES_MIN &&
        size <= ENCODED_BYTES_MAX &&
        isCompressible(content_type) &&
        (step === 2 || isNeededFirst(content_type)) &&
        !blobs.has(sha256) &&
        !isLeftOut(sha256);
      if (isWanted) {
        const isFull = blobs.size >= PORTION_BLOBS || bytes + size > PORTION_BYTES;
        if (isFull && blobs.size > 0) return portion(false);
        blobs.set(sha256, { sha256, size });
        bytes += size;
      }
      path = itsPath;
    }
    if (rows.length < ROWS_AT_ONCE) {
      if (step === 2) return portion(true);
      step = 2;
      path = '';
    }
    await slice.breathe();
  }
  return portion(false);
}

function readFiles({ db }: App, version: UnencodedVersion, after: string) {
  return db
    .selectFrom('version_files')
    .innerJoin('organization_blobs', (join) =>
      join
        .onRef('organization_blobs.sha256', '=', 'version_files.sha256')
        .on('organization_blobs.organization_id', '=', version.organization_id),
    )
    .select([
      'version_files.path',
      'version_files.content_type',
      'organization_blobs.sha256',
      'organization_blobs.size',
      'organization_blobs.encoded_at',
    ])
    .where('version_files.version_id', '=', version.id)
    .where('version_files.path', '>', after)
    .orderBy('version_files.path')
    .limit(ROWS_AT_ONCE)
    .execute();
}
