import type { SiteRules } from './decide.ts';
import { compileHeaders, type HeaderApplier } from './header-rules.ts';
import type { MemoryBudget } from './memory-budget.ts';
import type { EdgeSiteHost, EdgeVersion } from './ports.ts';
import type { ReadyAnswer } from './ready-answer.ts';
import { compileRedirects } from './redirect-rules.ts';

/** A version as one kind of host shows it: rules compiled once, and the answers that are ready to send. */
export interface SiteView {
  readonly siteId: string;
  readonly versionId: string;
  readonly isPreview: boolean;
  /** Stands in the answers that are ready, as `Strict-Transport-Security`; they are used over TLS only unless this is 0. */
  readonly strictTransportSeconds: number;
  readonly rules: SiteRules;
  readonly applyHeaders: HeaderApplier;
  /** The sealing time as an HTTP date. */
  readonly lastModified: string;
  /** Encoded path to the answer in memory; emptied by the memory budget. */
  readonly answers: Map<string, ReadyAnswer>;
  /** How far the copies are known (`EdgeVersion`); null when nothing more will come. */
  copiesAfter: string | null;
  /** About what manifest and rules take in memory; the ready answers have their own budget. */
  readonly bytes: number;
}

/** What a view, a rule and a header of a rule take beside their texts: measured with node 24, rounded up. */
const viewBytes = 4_096;
const ruleBytes = 768;
const headerBytes = 160;

/** The view of a version for a host. */
export function createSiteView(host: EdgeSiteHost, version: EdgeVersion): SiteView {
  return {
    siteId: host.siteId,
    versionId: version.id,
    isPreview: host.kind === 'preview',
    strictTransportSeconds: host.strictTransportSeconds,
    rules: {
      files: version.files,
      findRedirect: compileRedirects(version.redirects),
      spaFallback: host.spaFallback,
    },
    applyHeaders: compileHeaders(version.headers),
    lastModified: new Date(version.sealedAt).toUTCString(),
    answers: new Map(),
    copiesAfter: version.copiesAfter ?? null,
    bytes: bytesOf(version),
  };
}

/** Gives up the answers of a view that are ready; the next ones who ask make them anew. */
export function forgetAnswers(view: SiteView, budget: MemoryBudget): void {
  for (const answer of view.answers.values()) {
    for (const variant of [answer.identity, answer.br, answer.gzip]) {
      if (variant !== null) budget.remove(variant);
    }
  }
  view.answers.clear();
}

function bytesOf({ files, redirects, headers }: EdgeVersion): number {
  let bytes = viewBytes + files.bytes;
  for (const { from, to } of redirects) bytes += ruleBytes + 2 * from.length + to.length;
  for (const { pattern, operations } of headers) {
    bytes += ruleBytes + 2 * pattern.length;
    for (const { name, value } of operations) bytes += headerBytes + name.length + (value?.length ?? 0);
  }
  return bytes;
}
