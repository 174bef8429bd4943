import type { EdgeLogger } from './edge-logger.ts';
import { readHostname } from './fields/hostname.ts';
import { type CachedLookup, LookupCache } from './memory/lookup-cache.ts';
import type { EdgeHost, EdgePorts } from './ports.ts';
import type { SiteViews, ViewSlot } from './site-views.ts';

/** What is known about a hostname. */
export interface HostEntry {
  readonly hostname: string;
  /** Null: no such host. */
  readonly host: EdgeHost | null;
  /** Null: nothing deployed, suspended, or no site. Its view is null after eviction. */
  readonly slot: ViewSlot | null;
  /** Requests without TLS are redirected to https. */
  readonly isHttpsOnly: boolean;
}

const ALIASES_MAX = 20_000;

/** Resolves a hostname to site, version and manifest; continues with what is cached when lookups fail. */
export class HostDirectory {
  private readonly views: SiteViews;
  private readonly hosts: LookupCache<HostEntry>;
  /** Host headers as sent, for known hosts only: one lookup on the hot path. */
  private readonly aliases = new Map<string, CachedLookup<HostEntry>>();

  constructor(ports: EdgePorts, views: SiteViews, logger: EdgeLogger, hostsMax: number, now: () => number) {
    this.views = views;
    this.hosts = new LookupCache({
      entriesMax: hostsMax,
      now,
      exists: (entry) => entry.host !== null,
      look: async (hostname) => this.enter(hostname, await ports.resolveHost(hostname)),
      recall: async (hostname, error) => {
        const host = (await ports.recallHost?.(hostname, error)) ?? null;
        return host && this.enter(hostname, host);
      },
      onFailure: (error, hostname, isKnown) =>
        logger.warn({ err: error, hostname, isKnown }, 'a hostname could not be looked up'),
    });
  }

  /** Returns the entry for a Host header when it is known and current. */
  peek(hostHeader: string, now: number): HostEntry | null {
    const known = this.aliases.get(hostHeader);
    if (known === undefined || known.isStale || isGivenUp(known.value)) return null;
    if (now > known.refreshAt) this.hosts.refreshInBackground(known.name);
    return known.value;
  }

  /**
   * Returns the entry for a Host header; null when it cannot be a hostname. Rejects only when nothing is
   * known and the lookup fails.
   */
  async find(hostHeader: string): Promise<HostEntry | null> {
    const hostname = readHostname(hostHeader);
    if (hostname === null) return null;
    let found = await this.hosts.find(hostname);
    if (isGivenUp(found.value)) {
      this.hosts.invalidateName(hostname);
      found = await this.hosts.find(hostname);
    }
    if (found.value.host !== null && !found.isStale) {
      if (this.aliases.size >= ALIASES_MAX) this.aliases.clear();
      this.aliases.set(hostHeader, found);
    }
    return found.value;
  }

  invalidateHost(hostname: string): void {
    this.hosts.invalidateName(hostname);
  }

  invalidateSite(siteId: string): void {
    this.views.invalidateSite(siteId);
    this.hosts.invalidate(
      (_, { host }) => host !== null && host.kind !== 'redirect' && host.siteId === siteId,
    );
  }

  private async enter(hostname: string, host: EdgeHost | null): Promise<HostEntry> {
    const slot = host === null || host.kind === 'redirect' ? null : await this.views.get(host);
    return { hostname, host, slot, isHttpsOnly: host?.isHttpsOnly ?? false };
  }
}

function isGivenUp(entry: HostEntry): boolean {
  return entry.slot !== null && entry.slot.view === null;
}
