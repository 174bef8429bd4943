import type { SiteRules } from './decide.ts';
import type { MemoryBudget } from './memory/memory-budget.ts';
import type { EdgeSiteHost, EdgeVersion } from './ports.ts';
import type { ReadyResponse } from './ready-response.ts';
import type { HeaderApplier } from './rules/header-rules.ts';
import type { CompiledRules } from './rules/shared-rules.ts';

/** A version as shown by one kind of host: its rules, and the responses that are ready to send. */
export interface SiteView {
  readonly siteId: string;
  readonly versionId: string;
  readonly isPreview: boolean;
  /**
   * Part of the ready responses, as `Strict-Transport-Security`; they are used over TLS only unless this is 0.
   */
  readonly strictTransportSeconds: number;
  readonly rules: SiteRules;
  readonly applyHeaders: HeaderApplier;
  /** The sealing time as an HTTP date. */
  readonly lastModified: string;
  /** Encoded path to the response in memory; emptied by the memory budget. */
  readonly responses: Map<string, ReadyResponse>;
  /** How far the copies are known (`EdgeVersion`); null when no more will follow. */
  copiesAfter: string | null;
  /** Roughly what manifest and rules take in memory; the ready responses have their own budget. */
  readonly bytes: number;
}

/** What a view takes in addition to its manifest and rules: measured with Node 24, rounded up. */
const VIEW_BYTES = 4_096;

/** Creates the view of a version for a host. */
export function createSiteView(host: EdgeSiteHost, version: EdgeVersion, rules: CompiledRules): SiteView {
  return {
    siteId: host.siteId,
    versionId: version.id,
    isPreview: host.kind === 'preview',
    strictTransportSeconds: host.strictTransportSeconds,
    rules: {
      files: version.files,
      findRedirect: rules.findRedirect,
      spaFallback: host.spaFallback,
    },
    applyHeaders: rules.applyHeaders,
    lastModified: new Date(version.sealedAt).toUTCString(),
    responses: new Map(),
    copiesAfter: version.copiesAfter ?? null,
    bytes: VIEW_BYTES + version.files.bytes + rules.bytes,
  };
}

/** Evicts the ready responses of a view; the next requests create them again. */
export function forgetResponses(view: SiteView, budget: MemoryBudget): void {
  for (const response of view.responses.values()) {
    for (const variant of [response.identity, response.br, response.gzip]) {
      if (variant !== null) budget.remove(variant);
    }
  }
  view.responses.clear();
}
