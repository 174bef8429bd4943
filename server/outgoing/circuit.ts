import { AppError } from '../errors.ts';

const FAILURES_MAX = 5;
const OPEN_MS = 5_000;

/**
 * Stops asking a dependency that does not answer, so that nobody waits for it in vain: after five failures in a row everything
 * is refused at once for five seconds, then one call tries whether it is back.
 */
export class Circuit {
  private readonly isOutage: (error: unknown) => boolean;
  private readonly monotonic: () => number;
  private failures = 0;
  private openUntil = 0;

  /** @param isOutage whether an error says that the dependency is away, and not what it thinks of the question */
  constructor(isOutage: (error: unknown) => boolean, monotonic: () => number = () => performance.now()) {
    this.isOutage = isOutage;
    this.monotonic = monotonic;
  }

  /** Whether the last calls all failed: it stays so until one succeeds. */
  get isOpen(): boolean {
    return this.failures >= FAILURES_MAX;
  }

  /** Makes a call. @throws service_unavailable without making it while the dependency is taken to be away */
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
        if (this.isOpen) this.openUntil = this.monotonic() + OPEN_MS;
      }
      throw error;
    }
  }

  private close(): void {
    this.failures = 0;
    this.openUntil = 0;
  }
}
