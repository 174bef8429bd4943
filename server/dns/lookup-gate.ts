/** Raised in place of an answer of the database that did not come, or was not asked for because too many wait. */
export class LookupUnavailable extends Error {
  override name = 'LookupUnavailable';
}

interface Waiting {
  start(): void;
  isOver: boolean;
}

/** Lets a bounded number of look-ups run at one moment, and a bounded number wait, each for a bounded time. */
export class LookupGate {
  private readonly limits: { lookupsMax: number; lookupsWaitingMax: number; lookupMs: number };
  private readonly queue: Waiting[] = [];
  private running = 0;

  constructor(limits: { lookupsMax: number; lookupsWaitingMax: number; lookupMs: number }) {
    this.limits = limits;
  }

  /**
   * Returns what `look` finds. A look-up that is late goes on holding its place, so that a database that hangs is not
   * asked more and more.
   * @throws LookupUnavailable when it does not answer in time or too many wait, else whatever `look` throws
   */
  run<T>(look: () => Promise<T>): Promise<T> {
    const { lookupsMax, lookupsWaitingMax, lookupMs } = this.limits;
    if (this.running >= lookupsMax && this.queue.length >= lookupsWaitingMax) {
      return Promise.reject(new LookupUnavailable('too many questions wait for the database'));
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
