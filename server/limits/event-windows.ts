import { hash } from 'node:crypto';

/** How many keys one limit holds, plus as many again that reached it; see {@link EventWindows}. */
export const WINDOW_KEYS_MAX = 20_000;

/** What was counted for a key, and when its window ends. */
export interface EventWindow {
  events: number;
  endsAt: number;
}

/**
 * Counts events of keys in windows of equal length, in limited memory: {@link WINDOW_KEYS_MAX} keys, plus as
 * many again that reached the limit. A key takes the same memory however long it is, because only its hash is
 * kept. Windows of equal length end in the order in which they began, so the oldest key is at the front: no
 * timer or search is needed.
 * When it is full, the window that ends first makes room, so a new key is always counted and no key is
 * refused because of others. Keys that reached the limit are kept separately: a refused client cannot be
 * forgotten by sending one event for each of many keys, but would have to reach the limit with all of them.
 */
export class EventWindows {
  readonly #limit: number;
  readonly #lengthMs: number;
  readonly #below = new Map<string, EventWindow>();
  readonly #reached = new Map<string, EventWindow>();

  constructor(limit: { points: number; seconds: number }) {
    this.#limit = limit.points;
    this.#lengthMs = limit.seconds * 1000;
  }

  /** How many keys are remembered. */
  get size(): number {
    return this.#below.size + this.#reached.size;
  }

  /** Counts events of a key and returns its window. */
  count(key: string, events: number, now: number): EventWindow {
    const name = hashOf(key);
    const window = this.#find(name, now) ?? { events: 0, endsAt: now + this.#lengthMs };
    window.events += events;
    if (window.events < this.#limit) put(this.#below, name, window);
    else {
      this.#below.delete(name);
      put(this.#reached, name, window);
    }
    return window;
  }

  /** Returns the window of a key, or null when nothing was counted in the last one. */
  get(key: string, now: number): EventWindow | null {
    return this.#find(hashOf(key), now);
  }

  delete(key: string): void {
    const name = hashOf(key);
    this.#below.delete(name);
    this.#reached.delete(name);
  }

  /** Forgets windows that have ended; a few of those that reached the limit are kept for one more length. */
  prune(now: number): void {
    for (const windows of [this.#below, this.#reached]) {
      for (const [name, { endsAt }] of windows) {
        if (endsAt > now) break;
        windows.delete(name);
      }
    }
  }

  #find(name: string, now: number): EventWindow | null {
    const window = this.#reached.get(name) ?? this.#below.get(name);
    if (!window) return null;
    if (window.endsAt > now) return window;
    this.#below.delete(name);
    this.#reached.delete(name);
    return null;
  }
}

/** Stores a window, replacing the one at the front when there is no room for another. */
function put(windows: Map<string, EventWindow>, name: string, window: EventWindow): void {
  if (windows.size >= WINDOW_KEYS_MAX && !windows.has(name)) {
    const [oldest] = windows.keys();
    if (oldest !== undefined) windows.delete(oldest);
  }
  windows.set(name, window);
}

/**
 * Returns the hash that stands for a key: of fixed length, and unlike a substring it does not keep the
 * request's head in memory.
 */
export function hashOf(key: string): string {
  return hash('sha256', key, 'base64url');
}
