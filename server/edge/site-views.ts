import { LRUCache } from 'lru-cache';
import type { EdgeLimits } from './edge-limits.ts';
import { KnownCopies } from './known-copies.ts';
import { LoadQueue } from './memory/load-queue.ts';
import type { MemoryBudget } from './memory/memory-budget.ts';
import type { EdgePorts, EdgeSiteHost } from './ports.ts';
import { SharedRules } from './rules/shared-rules.ts';
import { createSiteView, forgetResponses, type SiteView } from './site-view.ts';

/**
 * At most this many earlier versions are searched for a fingerprinted file; older pages are no longer open.
 */
const REPLACED_VERSIONS_MAX = 20;
const REPLACED_KEPT_MS = 30_000;

/**
 * Where hosts find their view. They hold the slot and never the view for long: when the view is evicted, all
 * of them lose it, and its memory is free.
 */
export interface ViewSlot {
  view: SiteView | null;
}

/** A slot, and which rules its view holds. */
interface KeptSlot extends ViewSlot {
  readonly rulesId: string | null;
}

export type ViewLimits = Pick<
  EdgeLimits,
  'viewBytesMax' | 'asideViewBytesMax' | 'viewLoadsMax' | 'viewLoadsWaitingMax'
>;

/**
 * Loaded versions, limited by their memory; a version is loaded once for any number of simultaneous requests.
 */
export class SiteViews {
  private readonly ports: EdgePorts;
  private readonly limits: ViewLimits;
  /** Views of live sites. */
  private readonly live: LRUCache<string, KeptSlot>;
  /** Previews and earlier versions: however many are requested, they never evict a live site. */
  private readonly aside: LRUCache<string, KeptSlot>;
  private readonly rules = new SharedRules();
  private readonly loading = new Map<string, Promise<ViewSlot | null>>();
  private readonly loads: LoadQueue;
  private readonly copies: KnownCopies;
  private readonly replaced = new LRUCache<string, readonly string[]>({ max: 5_000, ttl: REPLACED_KEPT_MS });

  constructor(ports: EdgePorts, limits: ViewLimits, budget: MemoryBudget) {
    this.ports = ports;
    this.limits = limits;
    this.loads = new LoadQueue(limits.viewLoadsMax, limits.viewLoadsWaitingMax);
    this.copies = new KnownCopies(ports, budget, limits.viewLoadsWaitingMax);
    const onGivenUp = ({ rulesId }: KeptSlot) => this.rules.giveBack(rulesId);
    this.live = viewCache(limits.viewBytesMax, budget, onGivenUp);
    this.aside = viewCache(limits.asideViewBytesMax, budget, onGivenUp);
  }

  /** Roughly what the views take in memory. */
  get bytesUsed(): number {
    return this.live.calculatedSize + this.aside.calculatedSize;
  }

  /** The number of different rules held. */
  get ruleSets(): number {
    return this.rules.size;
  }

  /**
   * Returns the view of a host's version, or null when nothing is deployed there (any more) or nothing may be
   * served.
   */
  get(host: EdgeSiteHost): ViewSlot | Promise<ViewSlot | null> | null {
    if (host.versionId === null || host.isSuspended) return null;
    const found = this.load(host.kind === 'preview' ? this.aside : this.live, host, host.versionId);
    if ('view' in found) this.copies.refresh(found);
    return found;
  }

  /**
   * Returns the newest view among recently replaced versions with a path that the current one lacks: a page
   * loaded before a publish still finds its own scripts and styles.
   */
  async findReplaced(current: SiteView, path: string): Promise<SiteView | null> {
    if (current.isPreview) return null;
    let ids = this.replaced.get(current.siteId);
    if (ids === undefined) {
      ids = await this.ports.findReplacedVersions(current.siteId);
      this.replaced.set(current.siteId, ids);
    }
    let bytesSeen = 0;
    for (const id of ids.slice(0, REPLACED_VERSIONS_MAX)) {
      if (id === current.versionId) continue;
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
      const view = (await this.load(this.aside, host, id))?.view ?? null;
      if (view?.rules.files.has(path)) return view;
      // More manifests than fit would evict each other on every request.
      bytesSeen += view?.bytes ?? 0;
      if (bytesSeen > this.limits.asideViewBytesMax / 2) return null;
    }
    return null;
  }

  /** Forgets which versions a site replaced. Versions never change; `get` loads what was encoded since. */
  invalidateSite(siteId: string): void {
    this.replaced.delete(siteId);
  }

  private load(
    views: LRUCache<string, KeptSlot>,
    host: EdgeSiteHost,
    versionId: string,
  ): ViewSlot | Promise<ViewSlot | null> {
    const key = `${versionId} ${host.kind} ${host.spaFallback} ${host.siteId} ${host.strictTransportSeconds}`;
    const known = views.get(key);
    if (known !== undefined) return known;
    const place = `${views === this.live ? 'live' : 'aside'} ${key}`;
    const running = this.loading.get(place);
    if (running !== undefined) return running;
    const load = this.loads
      .run(host.siteId, () => this.ports.loadVersion(versionId))
      .then((version) => {
        if (version === null) return null;
        const { rulesId } = version;
        const slot: KeptSlot = { view: createSiteView(host, version, this.rules.take(version)), rulesId };
        views.set(key, slot);
        return slot;
      })
      .finally(() => this.loading.delete(place));
    this.loading.set(place, load);
    return load;
  }
}

function viewCache(
  bytesMax: number,
  budget: MemoryBudget,
  onGivenUp: (slot: KeptSlot) => void,
): LRUCache<string, KeptSlot> {
  return new LRUCache({
    maxSize: bytesMax,
    maxEntrySize: Number.MAX_SAFE_INTEGER,
    // One that exceeds the whole limit is kept alone: it must be served.
    sizeCalculation: ({ view }) => Math.min(bytesMax, view?.bytes ?? 1),
    dispose: (slot) => {
      const { view } = slot;
      slot.view = null;
      if (view !== null) forgetResponses(view, budget);
      onGivenUp(slot);
    },
  });
}
