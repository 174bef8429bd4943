import { LRUCache } from 'lru-cache';
import type { MemoryBudget } from './memory-budget.ts';
import type { EdgePorts, EdgeSiteHost } from './ports.ts';
import { createSiteView, type SiteView } from './site-view.ts';

/** At most this many earlier versions are searched for a fingerprinted file; older pages than that are not open any more. */
const replacedVersionsMax = 20;
const replacedKeptMs = 30_000;

/** Loaded versions, bounded by the number of files in their manifests; a version is loaded once however many ask. */
export class SiteViews {
  private readonly ports: EdgePorts;
  private readonly filesMax: number;
  private readonly views: LRUCache<string, SiteView>;
  private readonly loading = new Map<string, Promise<SiteView | null>>();
  private readonly replaced = new LRUCache<string, readonly string[]>({ max: 5_000, ttl: replacedKeptMs });

  constructor(ports: EdgePorts, filesMax: number, budget: MemoryBudget) {
    this.ports = ports;
    this.filesMax = filesMax;
    this.views = new LRUCache({
      maxSize: filesMax,
      maxEntrySize: Number.MAX_SAFE_INTEGER,
      sizeCalculation: (view) => Math.min(filesMax, 10 + view.version.files.size),
      dispose: (view) => {
        for (const answer of view.answers.values()) {
          for (const variant of [answer.identity, answer.br, answer.gzip]) {
            if (variant !== null) budget.remove(variant);
          }
        }
        view.answers.clear();
      },
    });
  }

  /** The view of a host's version, or null when nothing is deployed there (any more) or nothing may be served. */
  get(host: EdgeSiteHost): SiteView | Promise<SiteView | null> | null {
    return host.versionId === null || host.isSuspended ? null : this.load(host, host.versionId);
  }

  /**
   * The newest view, among the versions replaced lately, that holds a path the current one lacks: a page loaded before a publish
   * still finds its own scripts and styles.
   */
  async findReplaced(current: SiteView, path: string): Promise<SiteView | null> {
    if (current.isPreview) return null;
    let ids = this.replaced.get(current.siteId);
    if (ids === undefined) {
      ids = await this.ports.findReplacedVersions(current.siteId);
      this.replaced.set(current.siteId, ids);
    }
    let filesSeen = 0;
    for (const id of ids.slice(0, replacedVersionsMax)) {
      if (id === current.version.id) continue;
      const host: EdgeSiteHost = {
        kind: 'site',
        siteId: current.siteId,
        endpointId: null,
        versionId: id,
        spaFallback: false,
        isHttpsOnly: false,
        strictTransportSeconds: current.strictTransportSeconds,
        isSuspended: false,
        meter: null,
      };
      const view = await this.load(host, id);
      if (view?.version.files.has(path)) return view;
      // More manifests than fit would push each other out on every request.
      filesSeen += view?.version.files.size ?? 0;
      if (filesSeen > this.filesMax / 2) return null;
    }
    return null;
  }

  /** Forgets which versions a site replaced; versions themselves never change. */
  invalidateSite(siteId: string): void {
    this.replaced.delete(siteId);
  }

  private load(host: EdgeSiteHost, versionId: string): SiteView | Promise<SiteView | null> {
    const key = `${versionId} ${host.kind} ${host.spaFallback} ${host.siteId} ${host.strictTransportSeconds}`;
    const known = this.views.get(key);
    if (known !== undefined) return known;
    const running = this.loading.get(key);
    if (running !== undefined) return running;
    const load = this.ports
      .loadVersion(versionId)
      .then((version) => {
        if (version === null) return null;
        const view = createSiteView(host, version);
        this.views.set(key, view);
        return view;
      })
      .finally(() => this.loading.delete(key));
    this.loading.set(key, load);
    return load;
  }
}
