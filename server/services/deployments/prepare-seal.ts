import type { Slice } from '#server/concurrency/time-slices.ts';
import type { App } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { ReportBuilder, type StoredReport } from './deploy-report.ts';
import { collisionSteps } from './manifests/collision-rules.ts';
import { collisionProblem } from './manifests/manifest-rules.ts';
import { versionFileRows } from './manifests/version-file-rows.ts';
import type { SiteRow, VersionRow } from './queries.ts';
import { readRuleFiles, type VersionRules } from './rule-sets/read-rule-files.ts';

/** The result of checking an open version: everything that its seal writes. */
export interface PreparedSeal {
  rules: VersionRules;
  report: StoredReport;
}

/**
 * Checks the whole manifest of an open version, in portions, and returns what its seal will write. Nothing is
 * locked meanwhile: the seal verifies that neither the manifest nor the version it is compared with has
 * changed. Existing content stays: what an open version refers to is not collected.
 * @throws version_incomplete naming a file; manifest_empty, path_repeated, path_collision, path_under_file, size_mismatch
 */
export async function prepareSeal(app: App, site: SiteRow, version: VersionRow): Promise<PreparedSeal> {
  const slice = app.slices.begin(version.organization_id);
  const builder = new ReportBuilder(site.current_version_id);
  if (site.current_version_id !== null) {
    const previous = { id: site.current_version_id, organization_id: site.organization_id };
    for await (const rows of versionFileRows(app.db, previous, slice)) builder.addPrevious(rows);
  }
  const manifest = new ManifestCheck();
  for await (const rows of versionFileRows(app.db, version, slice)) {
    manifest.add(rows);
    builder.add(rows);
  }
  await manifest.finish(slice);
  const rules = await readRuleFiles(app.db, app.blobs, version.id);
  return {
    rules,
    report: builder.finish(version, {
      redirectCount: rules.redirects.length,
      headerRuleCount: rules.headers.length,
      problems: rules.problems,
      problemCount: rules.problemCount,
    }),
  };
}

/** Checks all parts of a manifest together: each was checked by itself when it arrived. */
class ManifestCheck {
  private readonly paths: string[] = [];
  private readonly sizeOfHash = new Map<string, number>();
  private readonly missing = new Set<string>();
  private firstMissing = '';

  add(rows: readonly { path: string; sha256: string; size: number; is_stored: boolean }[]): void {
    for (const { path, sha256, size, is_stored } of rows) {
      const known = this.sizeOfHash.get(sha256);
      if (known !== undefined && known !== size) {
        throw new AppError('size_mismatch', { path, actual: known, expected: size });
      }
      this.sizeOfHash.set(sha256, size);
      this.paths.push(path);
      if (is_stored) continue;
      if (this.missing.size === 0) this.firstMissing = path;
      this.missing.add(sha256);
    }
  }

  async finish(slice: Slice): Promise<void> {
    if (this.paths.length === 0) throw new AppError('manifest_empty');
    const collision = await slice.run(collisionSteps(this.paths));
    if (collision) {
      const { code, params } = collisionProblem(collision);
      throw new AppError(code, params);
    }
    if (this.missing.size > 0) {
      throw new AppError('version_incomplete', { count: this.missing.size, path: this.firstMissing });
    }
  }
}
