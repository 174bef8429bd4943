import type { Executor } from '#db/client.ts';
import type { Slice } from '#server/concurrency/time-slices.ts';
import { selectLostFiles } from '../blobs/lost-files.ts';

/** One file of a manifest, and whether its content is there. */
export interface VersionFileRow {
  path: string;
  sha256: string;
  size: number;
  is_stored: boolean;
}

/** Rows read in one statement: SQLite serves nothing else meanwhile. */
const ROWS_AT_ONCE = 1000;

/**
 * Yields the manifest of a version in the order of its paths, in portions, letting other work run in between.
 * @param options.after begins after this path
 */
export async function* versionFileRows(
  executor: Executor,
  version: { id: string; organization_id: string },
  slice: Slice,
  options: { after?: string } = {},
): AsyncGenerator<VersionFileRow[], void, undefined> {
  let after = options.after ?? '';
  for (;;) {
    const rows = await executor
      .selectFrom('version_files')
      .leftJoin('organization_blobs', (join) =>
        join
          .onRef('organization_blobs.sha256', '=', 'version_files.sha256')
          .on('organization_blobs.organization_id', '=', version.organization_id)
          .on('organization_blobs.sha256', 'not in', selectLostFiles(executor)),
      )
      .select([
        'version_files.path',
        'version_files.sha256',
        'version_files.size',
        'organization_blobs.sha256 as stored',
      ])
      .where('version_files.version_id', '=', version.id)
      .where('version_files.path', '>', after)
      .orderBy('version_files.path')
      .limit(ROWS_AT_ONCE)
      .execute();
    const last = rows.at(-1);
    if (!last) return;
    yield rows.map(({ path, sha256, size, stored }) => ({ path, sha256, size, is_stored: stored !== null }));
    if (rows.length < ROWS_AT_ONCE) return;
    after = last.path;
    await slice.breathe();
  }
}
