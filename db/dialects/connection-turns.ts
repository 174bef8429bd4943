import { FairPlaces } from '../fair-places.ts';

/** How the connections of a process are shared. */
export interface ConnectionShares {
  /** How many the process holds. */
  atOnce: number;
  /** How many of them one asker may hold, so that another always finds one. */
  atOncePerAsker: number;
  /** How long one is waited for. */
  waitMs: number;
}

/** Work that nobody asked for is limited by the connections alone. */
const NOBODY = '';

/**
 * Gives out places at connections, askers taking turns: one with hundreds of requests, or whose requests wait for a
 * lock, delays others only by the statements already running.
 */
export class ConnectionTurns {
  private readonly places: FairPlaces;
  private readonly waitMs: number;

  constructor({ atOnce, atOncePerAsker, waitMs }: ConnectionShares) {
    this.places = new FairPlaces({ atOnce, atOncePerKey: atOncePerAsker, unlimitedKey: NOBODY });
    this.waitMs = waitMs;
  }

  /**
   * Resolves once the asker has a place, with a function that gives it back.
   * @param asker null when nobody asked
   * @throws "timeout exceeded when trying to connect", like a pool
   */
  take(asker: string | null): Promise<() => void> {
    const toError = () => new Error('timeout exceeded when trying to connect');
    return this.places.take(asker ?? NOBODY, { waitMs: this.waitMs, toError });
  }
}
