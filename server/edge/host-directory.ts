import { LRUCache } from 'lru-cache';
import type { EdgeLogger } from './edge-logger.ts';
import { readHostname } from './hostname.ts';
import type { EdgeHost, EdgePorts } from './ports.ts';
import type { SiteView } from './site-view.ts';
import type { SiteViews } from './site-views.ts';

/** What is known about a hostname. */
export interface HostEntry {
  readonly hostname: string;
  /** Null: no such host. */
  readonly host: EdgeHost | null;
  /** Null: nothing deployed, or suspended. */
  readonly view: SiteView | null;
  /** Epoch milliseconds after which it is looked up again while this is still served. */
  readonly refreshAt: number;
  /** Something changed: the next request looks it up and waits. */
  isStale: boolean;
}

interface Lookup {
  readonly generation: number;
  readonly entry: Promise<HostEntry>;
}

/** Known hosts are asked about again this often even without a change event, unknown ones sooner. */
const knownRefreshMs = 60_000;
const unknownRefreshMs = 5_000;
/** After a failed look-up, what is known is served this long before the next attempt. */
const failedRetryMs = 2_000;
const aliasesMax = 20_000;

/** Hostname to site, version and manifest; remembers, collapses simultaneous look-ups, and goes on with what it knows when they fail. */
export class HostDirectory {
  private readonly ports: EdgePorts;
  private readonly views: SiteViews;
  private readonly logger: EdgeLogger;
  private readonly now: () => number;
  private readonly entries: LRUCache<string, HostEntry>;
  /** Host headers as they were sent, for known hosts only: one look-up on the hot path. */
  private readonly aliases = new Map<string, HostEntry>();
  private readonly lookups = new Map<string, Lookup>();
  private generation = 0;

  constructor(ports: EdgePorts, views: SiteViews, logger: EdgeLogger, hostsMax: number, now: () => number) {
    this.ports = ports;
    this.views = views;
    this.logger = logger;
    this.now = now;
    this.entries = new LRUCache({
      max: hostsMax,
      dispose: (entry) => {
        entry.isStale = true;
      },
    });
  }

  /** The entry for a Host header when it is known and current. */
  peek(hostHeader: string, now: number): HostEntry | null {
    const entry = this.aliases.get(hostHeader);
    if (entry === undefined || entry.isStale) return null;
    if (now > entry.refreshAt) this.refreshInBackground(entry.hostname);
    return entry;
  }

  /** The entry for a Host header; null when it cannot be a hostname. Rejects only when nothing is known and nobody can tell. */
  async find(hostHeader: string): Promise<HostEntry | null> {
    const hostname = readHostname(hostHeader);
    if (hostname === null) return null;
    const known = this.entries.get(hostname);
    const isUsable =
      known !== undefined && !known.isStale && (known.host !== null || this.now() <= known.refreshAt);
    const entry = isUsable ? known : await this.lookUp(hostname);
    if (entry.host !== null && !entry.isStale) {
      if (this.aliases.size >= aliasesMax) this.aliases.clear();
      this.aliases.set(hostHeader, entry);
    }
    return entry;
  }

  invalidateHost(hostname: string): void {
    this.generation += 1;
    const entry = this.entries.peek(hostname);
    if (entry !== undefined) entry.isStale = true;
  }

  invalidateSite(siteId: string): void {
    this.generation += 1;
    this.views.invalidateSite(siteId);
    for (const entry of this.entries.values()) {
      if (entry.host?.siteId === siteId) entry.isStale = true;
    }
  }

  private refreshInBackground(hostname: string): void {
    if (this.lookups.has(hostname)) return;
    this.lookUp(hostname).catch(() => {
      // lookUp has logged it, and what is known is still served.
    });
  }

  /** Joins a running look-up unless something changed after it began. */
  private lookUp(hostname: string): Promise<HostEntry> {
    const running = this.lookups.get(hostname);
    if (running !== undefined && running.generation === this.generation) return running.entry;
    const generation = this.generation;
    const lookup: Lookup = {
      generation,
      entry: this.ask(hostname, generation).finally(() => {
        if (this.lookups.get(hostname) === lookup) this.lookups.delete(hostname);
      }),
    };
    this.lookups.set(hostname, lookup);
    return lookup.entry;
  }

  private async ask(hostname: string, generation: number): Promise<HostEntry> {
    let entry: HostEntry;
    try {
      const host = await this.ports.resolveHost(hostname);
      const view = host === null ? null : await this.views.get(host);
      const refreshAt = this.now() + (host === null ? unknownRefreshMs : knownRefreshMs);
      entry = { hostname, host, view, refreshAt, isStale: generation !== this.generation };
    } catch (error) {
      const known = this.entries.peek(hostname);
      this.logger.warn(
        { err: error, hostname, isKnown: known !== undefined },
        'a hostname could not be looked up',
      );
      if (known === undefined) throw error;
      entry = { ...known, refreshAt: this.now() + failedRetryMs, isStale: generation !== this.generation };
    }
    // A change during the look-up started a newer one, whose answer must not be replaced by this older one.
    const newer = this.lookups.get(hostname);
    if (newer === undefined || newer.generation === generation) this.entries.set(hostname, entry);
    return entry;
  }
}
