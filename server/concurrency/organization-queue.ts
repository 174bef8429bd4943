import { FairPlaces } from '#db/fair-places.ts';
import { AppError } from '../errors.ts';

/**
 * How much of one kind of work a process does at the same time, and how much of it one key may have waiting.
 */
export interface OrganizationQueueLimits {
  /** Of all keys together. */
  atOnce: number;
  /** Of one key, so that another always finds a place. */
  atOncePerKey: number;
  /** Waiting for one key; anything beyond that is refused. */
  waitingPerKeyMax: number;
}

/** When refused work may be retried: by then a few pieces of work have ended. */
const RETRY_AFTER_SECONDS = 5;

/**
 * Runs work of many keys within limits, keys taking turns: one that brings a thousand pieces delays one that
 * brings a single piece only by the pieces already running.
 */
export class OrganizationQueue {
  private readonly waitingPerKeyMax: number;
  private readonly places: FairPlaces;

  constructor({ waitingPerKeyMax, ...limits }: OrganizationQueueLimits) {
    this.waitingPerKeyMax = waitingPerKeyMax;
    this.places = new FairPlaces(limits);
  }

  /**
   * Returns the result of the work once its turn has come.
   * @throws organization_busy when too much of the key is already waiting
   */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (!this.places.hasPlace(key)) this.requireRoom(key);
    const leave = await this.places.take(key);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /**
   * Requires that work of the key would be accepted: checked before reading a body that the work needs.
   * @throws organization_busy
   */
  requireRoom(key: string): void {
    if (this.places.waitingOf(key) >= this.waitingPerKeyMax) {
      throw new AppError('organization_busy', { seconds: RETRY_AFTER_SECONDS });
    }
  }
}
