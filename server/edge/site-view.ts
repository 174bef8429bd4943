import type { SiteRules } from './decide.ts';
import { compileHeaders, type HeaderApplier } from './header-rules.ts';
import type { EdgeSiteHost, EdgeVersion } from './ports.ts';
import type { ReadyAnswer } from './ready-answer.ts';
import { compileRedirects } from './redirect-rules.ts';

/** A version as one kind of host shows it: rules compiled once, and the answers that are ready to send. */
export interface SiteView {
  readonly siteId: string;
  readonly isPreview: boolean;
  /** Stands in the answers that are ready, as `Strict-Transport-Security`; they are used over TLS only unless this is 0. */
  readonly strictTransportSeconds: number;
  readonly version: EdgeVersion;
  readonly rules: SiteRules;
  readonly applyHeaders: HeaderApplier;
  /** The sealing time as an HTTP date. */
  readonly lastModified: string;
  /** Encoded path to the answer in memory; emptied by the memory budget. */
  readonly answers: Map<string, ReadyAnswer>;
}

/** The view of a version for a host. */
export function createSiteView(host: EdgeSiteHost, version: EdgeVersion): SiteView {
  return {
    siteId: host.siteId,
    isPreview: host.kind === 'preview',
    strictTransportSeconds: host.strictTransportSeconds,
    version,
    rules: {
      files: version.files,
      findRedirect: compileRedirects(version.redirects),
      spaFallback: host.spaFallback,
    },
    applyHeaders: compileHeaders(version.headers),
    lastModified: new Date(version.sealedAt).toUTCString(),
    answers: new Map(),
  };
}
