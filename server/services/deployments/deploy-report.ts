import type { Executor } from '#db/client.ts';
import type { App } from '#server/context.ts';
import { platformHost } from '../sites/platform-host.ts';
import { previewUrl, type SiteRow, type VersionRow } from './queries.ts';
import { type DeployReport, deployReportSchema, REPORT_CHANGES_MAX, type RuleProblem } from './schema.ts';

/** The part of a report that never changes again; it is stored with the version. */
export type StoredReport = Omit<DeployReport, 'is_published' | 'live_url' | 'preview_url'>;

const storedReportSchema = deployReportSchema.omit({ is_published: true, live_url: true, preview_url: true });

interface FileRow {
  path: string;
  sha256: string;
  size: number;
}

/** Returns the manifest of a version in the order of its paths. */
async function listManifest(executor: Executor, versionId: string): Promise<FileRow[]> {
  return executor
    .selectFrom('version_files')
    .select(['path', 'sha256', 'size'])
    .where('version_id', '=', versionId)
    .orderBy('path')
    .execute();
}

/** Returns what a version changes against another (or against nothing), with what its rule files brought. */
export async function buildReport(
  executor: Executor,
  version: Pick<VersionRow, 'id' | 'file_count' | 'total_bytes'>,
  comparedWith: string | null,
  rules: { redirectCount: number; headerRuleCount: number; problems: RuleProblem[] },
): Promise<StoredReport> {
  const files = await listManifest(executor, version.id);
  const previous = comparedWith === null ? [] : await listManifest(executor, comparedWith);
  const before = new Map(previous.map((file) => [file.path, file]));
  const knownHashes = new Set(previous.map((file) => file.sha256));
  const changes: DeployReport['changes'] = [];
  const counts = { added: 0, changed: 0, unchanged: 0 };
  let newBytes = 0;
  for (const file of files) {
    if (!knownHashes.has(file.sha256)) {
      knownHashes.add(file.sha256);
      newBytes += file.size;
    }
    const earlier = before.get(file.path);
    before.delete(file.path);
    const change = earlier === undefined ? 'added' : earlier.sha256 === file.sha256 ? 'unchanged' : 'changed';
    counts[change] += 1;
    if (change !== 'unchanged') changes.push({ path: file.path, change, size: file.size });
  }
  for (const file of before.values()) changes.push({ path: file.path, change: 'removed', size: file.size });
  changes.sort((a, b) => (a.path < b.path ? -1 : 1));
  return {
    version_id: version.id,
    compared_with: comparedWith,
    ...counts,
    removed: before.size,
    file_count: version.file_count,
    total_bytes: version.total_bytes,
    new_bytes: newBytes,
    changes: changes.slice(0, REPORT_CHANGES_MAX),
    redirect_count: rules.redirectCount,
    header_rule_count: rules.headerRuleCount,
    problems: rules.problems,
  };
}

/** Returns the report of a sealed version as it goes over the wire, or null before the seal. */
export function toReport(
  config: App['config'],
  site: Pick<SiteRow, 'subdomain'>,
  version: Pick<VersionRow, 'id' | 'report' | 'published_at'>,
): DeployReport | null {
  if (version.report === null) return null;
  const stored = storedReportSchema.parse(JSON.parse(version.report));
  return {
    ...stored,
    is_published: version.published_at !== null,
    live_url: config.siteUrl(platformHost(config, site.subdomain)),
    preview_url: previewUrl(config, site.subdomain, version.id),
  };
}
