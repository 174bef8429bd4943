/** The times that distinguish a silent server from a slow statement. */
export interface PulseBounds {
  /** Silence after which the server is checked for being reachable at all. */
  patienceMs: number;
  /**
   * It must respond with anything within this time, and gets two chances: this process may have been busy
   * itself.
   */
  answerMs: number;
  /** How often an unreachable server is checked again. */
  againMs: number;
}

/** How often a silent server is probed before it is unreachable. */
export const ATTEMPTS = 2;

/**
 * Tracks whether a database server is reachable. Statements may take long, but a reachable server accepts a
 * connection at once: waiting queries fail as soon as it does not, and while it is unreachable no query waits
 * at all.
 */
export class ServerPulse {
  private readonly isThere: (withinMs: number) => Promise<boolean>;
  private readonly bounds: PulseBounds;
  private readonly waiting = new Map<symbol, { since: number; giveUp: (error: Error) => void }>();
  private timer: NodeJS.Timeout | null = null;
  private away = false;
  private isStopped = false;
  private times = 0;

  /** @param isThere whether the server responds at all, even with an error, within a time; never rejects */
  constructor(isThere: (withinMs: number) => Promise<boolean>, bounds: PulseBounds) {
    this.isThere = isThere;
    this.bounds = bounds;
  }

  /** How often the server has been found unreachable. Connections opened before are dead. */
  get absences(): number {
    return this.times;
  }

  /**
   * Resolves like the response, whose function can ask whether its result is still awaited.
   * @throws "Connection terminated" as soon as the server is known to be unreachable
   */
  async wait<T>(answer: (isAwaited: () => boolean) => Promise<T>): Promise<T> {
    if (this.away) throw silence();
    const key = Symbol('waiting');
    const isGivenUp = new Promise<never>((_, reject) => {
      this.waiting.set(key, { since: performance.now(), giveUp: reject });
    });
    this.listen();
    try {
      return await Promise.race([answer(() => this.waiting.has(key)), isGivenUp]);
    } finally {
      this.waiting.delete(key);
    }
  }

  /** Stops checking the server. */
  stop(): void {
    this.isStopped = true;
    if (this.timer) clearTimeout(this.timer);
  }

  /** One timer for all waiting queries, and none without any. */
  private listen(delayMs = this.bounds.patienceMs): void {
    if (this.timer !== null || this.isStopped) return;
    this.timer = setTimeout(() => void this.listenNow(), delayMs);
    this.timer.unref();
  }

  private async listenNow(): Promise<void> {
    const { patienceMs, againMs } = this.bounds;
    if (this.away || this.patienceLeftMs() === 0) await this.ask();
    this.timer = null;
    if (this.away) this.listen(againMs);
    else if (this.waiting.size > 0) this.listen(this.patienceLeftMs() || patienceMs);
  }

  /** How long the query that has waited longest may still wait; no query waits forever. */
  private patienceLeftMs(): number {
    const [oldest] = this.waiting.values();
    if (oldest === undefined) return Number.POSITIVE_INFINITY;
    return Math.max(0, oldest.since + this.bounds.patienceMs - performance.now());
  }

  private async ask(): Promise<void> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      if (await this.isThere(this.bounds.answerMs)) {
        this.away = false;
        return;
      }
    }
    if (!this.away) this.times += 1;
    this.away = true;
    for (const { giveUp } of this.waiting.values()) giveUp(silence());
    this.waiting.clear();
  }
}

function silence(): Error {
  return new Error('Connection terminated: the database server does not answer');
}
