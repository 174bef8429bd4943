/**
 * Thrown when the database did not answer in time, or was not asked because too many questions are waiting.
 */
export class LookupUnavailable extends Error {
  override name = 'LookupUnavailable';
}

interface Waiting {
  start(): void;
  refuse(): void;
  isOver: boolean;
}

/**
 * Runs a limited number of lookups at the same time, lets a limited number wait, and limits the time of each.
 * Networks take turns, so that one with hundreds of questions waits for itself and does not delay the others.
 */
export class LookupGate {
  private readonly limits: { lookupsMax: number; lookupsWaitingMax: number; lookupMs: number };
  /** What waits, by network, in the order of their next turns. */
  private readonly queues = new Map<string, Waiting[]>();
  private waitingCount = 0;
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
  run<T>(network: string, look: () => Promise<T>): Promise<T> {
    const { lookupsMax, lookupsWaitingMax, lookupMs } = this.limits;
    const mustWait = this.running >= lookupsMax;
    if (mustWait && this.waitingCount >= lookupsWaitingMax && !this.makeRoom(network)) {
      return Promise.reject(tooMany());
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
        refuse: () => {
          clearTimeout(timer);
          reject(tooMany());
        },
      };
      const timer = setTimeout(() => {
        waiting.isOver = true;
        reject(new LookupUnavailable('the database did not answer in time'));
      }, lookupMs);
      if (mustWait) this.enqueue(network, waiting);
      else waiting.start();
    });
  }

  private enqueue(network: string, waiting: Waiting): void {
    const own = this.queues.get(network);
    if (own) own.push(waiting);
    else this.queues.set(network, [waiting]);
    this.waitingCount += 1;
  }

  /**
   * Refuses the newest question of the network with the most waiting; returns false when this network would
   * have as many.
   */
  private makeRoom(network: string): boolean {
    let longest: Waiting[] = this.queues.get(network) ?? [];
    const own = longest.length;
    for (const queue of this.queues.values()) if (queue.length > longest.length) longest = queue;
    if (longest.length <= own + 1) return false;
    longest.pop()?.refuse();
    this.waitingCount -= 1;
    return true;
  }

  private startNext(): void {
    let next = this.takeNext();
    while (next?.isOver) next = this.takeNext();
    next?.start();
  }

  private takeNext(): Waiting | undefined {
    const [first] = this.queues;
    if (!first) return undefined;
    const [network, own] = first;
    const waiting = own.shift();
    this.queues.delete(network);
    if (own.length > 0) this.queues.set(network, own);
    this.waitingCount -= 1;
    return waiting;
  }
}

function tooMany(): LookupUnavailable {
  return new LookupUnavailable('too many questions are waiting for the database');
}
