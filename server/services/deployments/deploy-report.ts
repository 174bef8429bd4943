import { z } from 'zod';
import type { App } from '#server/context.ts';
import { platformHost } from '../sites/platform-host.ts';
import { previewUrl, type SiteRow, type VersionRow } from './queries.ts';
import { type DeployReport, deployReportSchema, REPORT_CHANGES_MAX, type RuleProblem } from './schema.ts';

/** The part of a report that never changes; it is stored with the version. */
export type StoredReport = Omit<DeployReport, 'is_published' | 'superseded_by' | 'live_url' | 'preview_url'>;

const storedReportSchema = deployReportSchema
  .omit({ is_published: true, superseded_by: true, live_url: true, preview_url: true })
  // Reports of earlier releases contain all of their problems.
  .extend({ problem_count: z.number().int().optional() });

interface FileRow {
  path: string;
  sha256: string;
  size: number;
}

/**
 * Determines what a version changes compared with another (or with nothing), from both manifests in portions.
 */
export class ReportBuilder {
  private readonly comparedWith: string | null;
  private readonly before = new Map<string, string>();
  private readonly sizeBefore = new Map<string, number>();
  private readonly knownHashes = new Set<string>();
  private readonly counts = { added: 0, changed: 0, unchanged: 0 };
  private changes: DeployReport['changes'] = [];
  private newBytes = 0;

  constructor(comparedWith: string | null) {
    this.comparedWith = comparedWith;
  }

  /** Takes files of the version to compare with; all of them come before the first {@link add}. */
  addPrevious(files: readonly FileRow[]): void {
    for (const { path, sha256, size } of files) {
      this.before.set(path, sha256);
      this.sizeBefore.set(path, size);
      this.knownHashes.add(sha256);
    }
  }

  /** Takes files of the version. */
  add(files: readonly FileRow[]): void {
    for (const { path, sha256, size } of files) {
      if (!this.knownHashes.has(sha256)) {
        this.knownHashes.add(sha256);
        this.newBytes += size;
      }
      const earlier = this.before.get(path);
      this.before.delete(path);
      const change = earlier === undefined ? 'added' : earlier === sha256 ? 'unchanged' : 'changed';
      this.counts[change] += 1;
      if (change !== 'unchanged') this.note({ path, change, size });
    }
  }

  /** Returns the report, including the result of the version's rule files. */
  finish(
    version: Pick<VersionRow, 'id' | 'file_count' | 'total_bytes'>,
    rules: {
      redirectCount: number;
      headerRuleCount: number;
      problems: RuleProblem[];
      problemCount: number;
    },
  ): StoredReport {
    for (const path of this.before.keys()) {
      this.note({ path, change: 'removed', size: this.sizeBefore.get(path) ?? 0 });
    }
    this.keepFirst();
    return {
      version_id: version.id,
      compared_with: this.comparedWith,
      ...this.counts,
      removed: this.before.size,
      file_count: version.file_count,
      total_bytes: version.total_bytes,
      new_bytes: this.newBytes,
      changes: this.changes,
      redirect_count: rules.redirectCount,
      header_rule_count: rules.headerRuleCount,
      problems: rules.problems,
      problem_count: rules.problemCount,
    };
  }

  private note(change: DeployReport['changes'][number]): void {
    this.changes.push(change);
    if (this.changes.length >= 10 * REPORT_CHANGES_MAX) this.keepFirst();
  }

  private keepFirst(): void {
    this.changes.sort((a, b) => (a.path < b.path ? -1 : 1));
    this.changes = this.changes.slice(0, REPORT_CHANGES_MAX);
  }
}

/**
 * Returns the report of a sealed version for clients, or null before the seal.
 * @param supersededBy the number of the newer version that was current when this one was to be published
 */
export function toReport(
  config: App['config'],
  site: Pick<SiteRow, 'subdomain'>,
  version: Pick<VersionRow, 'id' | 'report' | 'published_at'>,
  supersededBy: number | null = null,
): DeployReport | null {
  if (version.report === null) return null;
  const stored = storedReportSchema.parse(JSON.parse(version.report));
  return {
    ...stored,
    problem_count: stored.problem_count ?? stored.problems.length,
    is_published: version.published_at !== null,
    superseded_by: supersededBy,
    live_url: config.siteUrl(platformHost(config, site.subdomain)),
    preview_url: previewUrl(config, site.subdomain, version.id),
  };
}
