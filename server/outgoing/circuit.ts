import { AppError } from '../errors.ts';

const FAILURES_MAX = 5;
const OPEN_MS = 5_000;
/** A little later, because a timer may end early, and its call would be refused. */
const PROBE_AFTER_MS = OPEN_MS + 100;

/**
 * Stops calling a dependency that does not respond, so that callers do not wait in vain: after five failures
 * in a row, every call is refused immediately for five seconds, then one call probes whether it is back.
 */
export class Circuit {
  private readonly isOutage: (error: unknown) => boolean;
  private readonly monotonic: () => number;
  private failures = 0;
  private openUntil = 0;
  private probe: (() => Promise<unknown>) | null = null;
  private nextProbe: NodeJS.Timeout | null = null;

  /**
   * @param isOutage whether an error means that the dependency is down, and not that it refused the request
   */
  constructor(isOutage: (error: unknown) => boolean, monotonic: () => number = () => performance.now()) {
    this.isOutage = isOutage;
    this.monotonic = monotonic;
  }

  /** Whether the last calls all failed: it stays open until one succeeds. */
  get isOpen(): boolean {
    return this.failures >= FAILURES_MAX;
  }

  /**
   * Has an open circuit make this call by itself after each pause, so that it closes once the dependency is back,
   * also in a process that has nothing else to ask.
   */
  probeWith(probe: () => Promise<unknown>): void {
    this.probe = probe;
  }

  /** Makes a call. @throws service_unavailable without making it while the dependency is considered down */
  async run<T>(call: () => Promise<T>): Promise<T> {
    const left = this.openUntil - this.monotonic();
    if (left > 0) throw new AppError('service_unavailable', { seconds: Math.ceil(left / 1000) });
    // Half open: this call is the probe, and the others are refused until it has ended.
    if (this.isOpen) this.openUntil = this.monotonic() + OPEN_MS;
    try {
      const result = await call();
      this.close();
      return result;
    } catch (error) {
      if (!this.isOutage(error)) this.close();
      else {
        this.failures += 1;
        if (this.isOpen) {
          this.openUntil = this.monotonic() + OPEN_MS;
          this.planProbe();
        }
      }
      throw error;
    }
  }

  private planProbe(): void {
    const { probe } = this;
    if (probe === null || this.nextProbe !== null) return;
    this.nextProbe = setTimeout(() => {
      this.nextProbe = null;
      if (!this.isOpen) return;
      // Whoever calls next gets the error; here it only means that the dependency is still down.
      void this.run(probe)
        .catch(() => undefined)
        .then(() => this.isOpen && this.planProbe());
    }, PROBE_AFTER_MS);
    this.nextProbe.unref();
  }

  private close(): void {
    this.failures = 0;
    this.openUntil = 0;
  }
}
