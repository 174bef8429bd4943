/**
 * Thrown when the database did not answer in time, or was not asked because too many questions are waiting.
 */
export class LookupUnavailable extends Error {
  override name = 'LookupUnavailable';
}

interface Waiting {
  start(): void;
  isOver: boolean;
}

/**
 * Runs a limited number of lookups at the same time, lets a limited number wait, and limits the time of each.
 */
export class LookupGate {
  private readonly limits: { lookupsMax: number; lookupsWaitingMax: number; lookupMs: number };
  private readonly queue: Waiting[] = [];
  private running = 0;

  constructor(limits: { lookupsMax: number; lookupsWaitingMax: number; lookupMs: number }) {
    this.limits = limits;
  }

  /**
   * Returns what `look` finds. A lookup that is late keeps its place, so that a hanging database does not get
   * more and more questions.
   * @throws LookupUnavailable when it does not answer in time or too many wait, otherwise whatever `look`
   * throws
   */
  run<T>(look: () => Promise<T>): Promise<T> {
    const { lookupsMax, lookupsWaitingMax, lookupMs } = this.limits;
    if (this.running >= lookupsMax && this.queue.length >= lookupsWaitingMax) {
      return Promise.reject(new LookupUnavailable('too many questions are waiting for the database'));
    }
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        isOver: false,
        start: () => {
          this.running += 1;
          void new Promise<T>((settle) => settle(look())).then(resolve, reject).finally(() => {
            clearTimeout(timer);
            this.running -= 1;
            this.startNext();
          });
        },
      };
      const timer = setTimeout(() => {
        waiting.isOver = true;
        reject(new LookupUnavailable('the database did not answer in time'));
      }, lookupMs);
      if (this.running < lookupsMax) waiting.start();
      else this.queue.push(waiting);
    });
  }

  private startNext(): void {
    let next = this.queue.shift();
    while (next?.isOver) next = this.queue.shift();
    next?.start();
  }
}
