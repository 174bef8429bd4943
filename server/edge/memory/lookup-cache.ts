import { LRUCache } from 'lru-cache';

/** A cached lookup of a name. */
export interface CachedLookup<T> {
  readonly name: string;
  readonly value: T;
  /** Epoch milliseconds after which it is refreshed while this is still used. */
  readonly refreshAt: number;
  /** Something changed: the next caller looks it up and waits. */
  isStale: boolean;
}

export interface LookupCacheOptions<T> {
  readonly entriesMax: number;
  readonly now: () => number;
  /** Looks up a name; rejects when that is currently impossible. */
  readonly look: (name: string) => Promise<T>;
  /**
   * Recalls an earlier value of a name whose lookup has failed, or null: used when nothing is cached, or only
   * an invalidated value.
   */
  readonly recall?: (name: string, error: unknown) => Promise<T | null>;
  /** True for the value of a name that exists. */
  readonly exists: (value: T) => boolean;
  readonly onFailure: (error: unknown, name: string, isKnown: boolean) => void;
}

interface Lookup<T> {
  readonly generation: number;
  readonly entry: Promise<CachedLookup<T>>;
}

/** Existing names are refreshed this often even without a change event, others sooner. */
const KNOWN_REFRESH_MS = 60_000;
const UNKNOWN_REFRESH_MS = 5_000;
/** After a failed lookup, the cached value is used this long before the next attempt. */
const FAILED_RETRY_MS = 2_000;
const ABSENT_MAX = 10_000;

/**
 * Caches what names lead to, collapses simultaneous lookups, and continues with what is cached when they fail.
 */
export class LookupCache<T> {
  private readonly options: LookupCacheOptions<T>;
  private readonly entries: LRUCache<string, CachedLookup<T>>;
  /** Names that do not exist: requests for any number of them never evict one that does. */
  private readonly absent: LRUCache<string, CachedLookup<T>>;
  private readonly lookups = new Map<string, Lookup<T>>();
  private generation = 0;

  constructor(options: LookupCacheOptions<T>) {
    this.options = options;
    const dispose = (entry: CachedLookup<T>) => {
      entry.isStale = true;
    };
    this.entries = new LRUCache({ max: options.entriesMax, dispose });
    this.absent = new LRUCache({ max: Math.min(options.entriesMax, ABSENT_MAX), dispose });
  }

  /** Returns the cached value that may be used, or null; an old one is refreshed in the background. */
  peek(name: string): CachedLookup<T> | null {
    const known = this.entries.get(name) ?? this.absent.get(name);
    if (known === undefined || known.isStale) return null;
    const isOld = this.options.now() > known.refreshAt;
    if (isOld && !this.options.exists(known.value)) return null;
    if (isOld) this.refreshInBackground(name);
    return known;
  }

  /** Returns the lookup of a name. Rejects only when nothing is known and the lookup fails. */
  async find(name: string): Promise<CachedLookup<T>> {
    return this.peek(name) ?? (await this.lookUp(name));
  }

  /** Something changed: names for which `isMeant` is true are looked up before they are used again. */
  invalidate(isMeant: (name: string, value: T) => boolean): void {
    this.generation += 1;
    for (const entries of [this.entries, this.absent]) {
      for (const entry of entries.values()) if (isMeant(entry.name, entry.value)) entry.isStale = true;
    }
  }

  /** Like `invalidate`, for one name. */
  invalidateName(name: string): void {
    this.generation += 1;
    const entry = this.known(name);
    if (entry !== undefined) entry.isStale = true;
  }

  refreshInBackground(name: string): void {
    if (this.lookups.has(name)) return;
    this.lookUp(name).catch(() => {
      // onFailure has been called, and the cached value is still used.
    });
  }

  /** Joins a running lookup unless something changed after it began. */
  private lookUp(name: string): Promise<CachedLookup<T>> {
    const running = this.lookups.get(name);
    if (running !== undefined && running.generation === this.generation) return running.entry;
    const generation = this.generation;
    const lookup: Lookup<T> = {
      generation,
      entry: this.ask(name, generation).finally(() => {
        if (this.lookups.get(name) === lookup) this.lookups.delete(name);
      }),
    };
    this.lookups.set(name, lookup);
    return lookup.entry;
  }

  private async ask(name: string, generation: number): Promise<CachedLookup<T>> {
    const { now, look, recall, exists, onFailure } = this.options;
    let entry: CachedLookup<T>;
    try {
      const value = await look(name);
      const refreshAt = now() + (exists(value) ? KNOWN_REFRESH_MS : UNKNOWN_REFRESH_MS);
      entry = { name, value, refreshAt, isStale: generation !== this.generation };
    } catch (error) {
      const known = this.known(name);
      onFailure(error, name, known !== undefined);
      const isCurrent = known !== undefined && !known.isStale;
      const recalled = isCurrent ? null : ((await recall?.(name, error)) ?? null);
      const value = recalled ?? known?.value;
      if (value === undefined) throw error;
      const refreshAt = now() + FAILED_RETRY_MS;
      entry = { name, value, refreshAt, isStale: generation !== this.generation };
    }
    // After a change, a newer lookup has taken the place of this one, and may have ended first: its result must stay.
    if (this.lookups.get(name)?.generation === generation) this.keep(entry);
    return entry;
  }

  private known(name: string): CachedLookup<T> | undefined {
    return this.entries.peek(name) ?? this.absent.peek(name);
  }

  private keep(entry: CachedLookup<T>): void {
    const isThere = this.options.exists(entry.value);
    (isThere ? this.entries : this.absent).set(entry.name, entry);
    (isThere ? this.absent : this.entries).delete(entry.name);
  }
}
