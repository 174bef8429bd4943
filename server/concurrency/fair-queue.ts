import { AppError } from '../errors.ts';

/** When a client that finds the queue full should come back. */
const COME_BACK_SECONDS = 5;

interface Waiter {
  begin(): void;
  refuse(error: AppError): void;
}

/**
 * Runs costly work a few pieces at a time. Clients take turns, so a client with a thousand requests waits for
 * itself and does not delay the others. At most `waitingMax` wait; when more arrive, the newest request of
 * the client with the most waiting is refused. Clients that are known wait in a line of their own, which has every
 * other turn: strangers, however many, delay them by one piece at a time and do not take their room.
 */
export class FairQueue {
  readonly #atOnceMax: number;
  readonly #known: Line;
  readonly #others: Line;
  #isOthersTurn = false;
  #running = 0;

  constructor({ atOnceMax, waitingMax }: { atOnceMax: number; waitingMax: number }) {
    this.#atOnceMax = atOnceMax;
    this.#known = new Line(waitingMax);
    this.#others = new Line(waitingMax);
  }

  /**
   * Runs `work` once it is the client's turn, and returns its result.
   * @throws too_many_requests when too many wait
   */
  async run<Result>(
    asker: string,
    work: () => Promise<Result>,
    { isKnown = false }: { isKnown?: boolean } = {},
  ): Promise<Result> {
    if (this.#running >= this.#atOnceMax) await (isKnown ? this.#known : this.#others).wait(asker);
    else this.#running += 1;
    try {
      return await work();
    } finally {
      const next = this.#takeNext();
      // The next one inherits the place, so that no newcomer takes it.
      if (next) next.begin();
      else this.#running -= 1;
    }
  }

  #takeNext(): Waiter | undefined {
    const [first, second] = this.#isOthersTurn ? [this.#others, this.#known] : [this.#known, this.#others];
    this.#isOthersTurn = !this.#isOthersTurn;
    return first.takeNext() ?? second.takeNext();
  }
}

/** Clients that wait, and whose turn is next. */
class Line {
  readonly #waitingMax: number;
  /** In the order of their next turns. */
  readonly #waiting = new Map<string, Waiter[]>();
  #count = 0;

  constructor(waitingMax: number) {
    this.#waitingMax = waitingMax;
  }

  wait(asker: string): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#count >= this.#waitingMax && !this.#makeRoom(asker)) {
        reject(refusal());
        return;
      }
      const own = this.#waiting.get(asker);
      const waiter: Waiter = { begin: resolve, refuse: reject };
      if (own) own.push(waiter);
      else this.#waiting.set(asker, [waiter]);
      this.#count += 1;
    });
  }

  takeNext(): Waiter | undefined {
    const [first] = this.#waiting;
    if (!first) return undefined;
    const [asker, own] = first;
    const waiter = own.shift();
    this.#waiting.delete(asker);
    if (own.length > 0) this.#waiting.set(asker, own);
    this.#count -= 1;
    return waiter;
  }

  /**
   * Refuses the newest request of the client with the most waiting; returns false when this client would have
   * as many.
   */
  #makeRoom(asker: string): boolean {
    const own = this.#waiting.get(asker) ?? [];
    let longest = own;
    for (const queue of this.#waiting.values()) if (queue.length > longest.length) longest = queue;
    if (longest.length <= own.length + 1) return false;
    longest.pop()?.refuse(refusal());
    this.#count -= 1;
    return true;
  }
}

function refusal(): AppError {
  return new AppError('too_many_requests', { seconds: COME_BACK_SECONDS });
}
