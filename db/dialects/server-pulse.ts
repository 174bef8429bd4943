/** How a silent server is told from a slow statement. */
export interface PulseBounds {
  /** Of silence after which the server is asked whether it is there at all. */
  patienceMs: number;
  /** Within this time it must say anything, and it is asked twice: this process may have been busy itself. */
  answerMs: number;
  /** How often a server that is away is asked again. */
  againMs: number;
}

const ATTEMPTS = 2;

/**
 * Knows whether a database server is there. Statements may take long, but a server that is there says so at once: whoever
 * waits for an answer is told as soon as it does not, and while it is away nobody waits at all.
 */
export class ServerPulse {
  private readonly isThere: (withinMs: number) => Promise<boolean>;
  private readonly bounds: PulseBounds;
  private readonly waiting = new Map<symbol, { since: number; giveUp: (error: Error) => void }>();
  private timer: NodeJS.Timeout | null = null;
  private away = false;
  private isStopped = false;
  private times = 0;

  /** @param isThere whether the server says anything, even no, within a time; it never rejects */
  constructor(isThere: (withinMs: number) => Promise<boolean>, bounds: PulseBounds) {
    this.isThere = isThere;
    this.bounds = bounds;
  }

  /** How often the server has been found away. What was connected before leads nowhere. */
  get absences(): number {
    return this.times;
  }

  /**
   * Resolves as the answer does, which may ask whether anybody still waits for it.
   * @throws "Connection terminated" as soon as the server is known to be away
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

  /** Asks the server nothing more. */
  stop(): void {
    this.isStopped = true;
    if (this.timer) clearTimeout(this.timer);
  }

  /** One timer for all who wait, and none while nobody does. */
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

  /** How long whoever waits longest has patience; nobody who waits has it for ever. */
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
