import { hash } from 'node:crypto';

/** How many keys one limit remembers, and again as many that reached it; see {@link EventWindows}. */
export const WINDOW_KEYS_MAX = 20_000;

/** What was counted for a key, and when its window ends. */
export interface EventWindow {
  events: number;
  endsAt: number;
}

/**
 * Counts events of keys in windows of one length, in memory with a bound: {@link WINDOW_KEYS_MAX} keys, and again as many
 * that reached the limit. A key costs the same however long it is, since only its hash is kept. Windows of one length end in
 * the order in which they began, so the oldest key is at the front: no timer is needed, nor a search.
 *
 * When it is full, the window that ends first makes room, so a new key is always counted and nobody is refused for what
 * others do. Keys that reached the limit are kept apart: whoever was refused cannot become forgotten by sending one event
 * of each of many keys, but would have to reach the limit with all of them.
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

  /** Forgets the windows that have ended; of those that reached the limit, a few not before one more length. */
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

/** Stores a window, in place of the one at the front where there is no room for another. */
function put(windows: Map<string, EventWindow>, name: string, window: EventWindow): void {
  if (windows.size >= WINDOW_KEYS_MAX && !windows.has(name)) {
    const [oldest] = windows.keys();
    if (oldest !== undefined) windows.delete(oldest);
  }
  windows.set(name, window);
}

/** Returns what is kept of a key: of one length, and free of the request's head, which a part of a text holds in memory. */
export function hashOf(key: string): string {
  return hash('sha256', key, 'base64url');
}
