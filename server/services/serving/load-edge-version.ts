import { setImmediate as nextTurn } from 'node:timers/promises';
import type { App } from '#server/context.ts';
import { Manifest } from '#server/edge/manifest.ts';
import type { EdgeVersion } from '#server/edge/ports.ts';
import type { HeaderRule } from '#server/edge/rules/header-rules.ts';
import type { RedirectRule } from '#server/edge/rules/redirect-rules.ts';

/** Rows read in one turn of the event loop: a few milliseconds on SQLite, which answers within the turn. */
const SLICE_ROWS = 1_000;

/**
 * Returns a sealed version as the edge serves it, or null when there is none. It never changes, but encoded
 * copies are created later (find-new-copies.ts). A large manifest is read in slices, between which other work
 * runs.
 */
export async function loadEdgeVersion(app: App, versionId: string): Promise<EdgeVersion | null> {
  const version = await app.db
    .selectFrom('site_versions')
    .leftJoin('rule_sets', 'rule_sets.sha256', 'site_versions.rules_sha256')
    .select([
      'id',
      'organization_id',
      'sealed_at',
      'encoded_at',
      'encoded_through',
      'rules_sha256',
      'redirects',
      'headers',
    ])
    .where('id', '=', versionId)
    .executeTakeFirst();
  if (!version || version.sealed_at === null) return null;
  const files = await loadManifest(app, version);
  // A version that was removed between two slices does not exist, rather than half of it.
  if (files.size > SLICE_ROWS && !(await isThere(app, versionId))) return null;
  const redirects: RedirectRule[] = JSON.parse(version.redirects ?? '[]');
  const headers: HeaderRule[] = JSON.parse(version.headers ?? '[]');
  const copiesAfter = version.encoded_at === null ? version.encoded_through : null;
  const { id, sealed_at: sealedAt, rules_sha256: rulesId } = version;
  return { id, sealedAt, files, copiesAfter, rulesId, redirects, headers };
}

interface VersionOfOrganization {
  id: string;
  organization_id: string;
}

async function loadManifest(app: App, version: VersionOfOrganization): Promise<Manifest> {
  const manifest = new Manifest();
  let after: string | null = null;
  for (;;) {
    const slice = await readSlice(app, version, after);
    for (const row of slice) {
      manifest.add(row.path, {
        sha256: row.sha256,
        size: row.size,
        contentType: row.content_type,
        brotliSize: row.brotli_size,
        gzipSize: row.gzip_size,
      });
    }
    if (slice.length < SLICE_ROWS) return manifest;
    after = slice.at(-1)?.path ?? null;
    await nextTurn();
  }
}

function readSlice(app: App, version: VersionOfOrganization, after: string | null) {
  const rows = app.db
    .selectFrom('version_files')
    .leftJoin('organization_blobs', (join) =>
      join
        .onRef('organization_blobs.sha256', '=', 'version_files.sha256')
        .on('organization_blobs.organization_id', '=', version.organization_id),
    )
    .select([
      'version_files.path',
      'version_files.sha256',
      'version_files.size',
      'version_files.content_type',
      'organization_blobs.brotli_size',
      'organization_blobs.gzip_size',
    ])
    .where('version_files.version_id', '=', version.id)
    .orderBy('version_files.path')
    .limit(SLICE_ROWS);
  return (after === null ? rows : rows.where('version_files.path', '>', after)).execute();
}

async function isThere(app: App, versionId: string): Promise<boolean> {
  const row = await app.db
    .selectFrom('site_versions')
    .select('id')
    .where('id', '=', versionId)
    .executeTakeFirst();
  return row !== undefined;
}
