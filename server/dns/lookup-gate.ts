import type { DnsQueue } from './ports.ts';

/** Thrown when the database did not answer in time. */
export class LookupUnavailable extends Error {
  override name = 'LookupUnavailable';
}

/** Runs lookups when it is their network's turn, and limits the time of each. */
export class LookupGate {
  private readonly queue: DnsQueue;
  private readonly lookupMs: number;

  constructor(queue: DnsQueue, lookupMs: number) {
    this.queue = queue;
    this.lookupMs = lookupMs;
  }

  /**
   * Runs `lookUp` and returns its result. A lookup that is late keeps its place, so that a hanging database
   * does not get more and more queries; one that is late before its turn does not begin.
   * @throws LookupUnavailable when it does not answer in time, otherwise whatever the queue or `lookUp` throws
   */
  run<T>(network: string, lookUp: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const late = new AbortController();
      const timer = setTimeout(() => {
        late.abort(new LookupUnavailable('the database did not answer in time'));
        reject(late.signal.reason);
      }, this.lookupMs);
      const lookUpInTime = async () => {
        late.signal.throwIfAborted();
        return lookUp();
      };
      void this.queue
        .run(network, lookUpInTime)
        .then(resolve, reject)
        .finally(() => clearTimeout(timer));
    });
  }
}
