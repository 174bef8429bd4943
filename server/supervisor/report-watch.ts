/** Several reports fit between two checks, so that a busy machine does not make a process seem silent. */
const CHECK_EVERY_MS = 5_000;
const SILENT_AFTER_CHECKS = 3;
/** A minute: longer than anything that may keep an event loop from turning. */
const HUNG_AFTER_CHECKS = 12;

/** How long a process has reported nothing when it counts as hung. */
export const HUNG_AFTER_SECONDS = (HUNG_AFTER_CHECKS * CHECK_EVERY_MS) / 1000;

/**
 * Watches the reports of one process, from the first on: an older program sends none. It counts its own
 * checks and not the time, which also passes while the whole program is suspended.
 */
export class ReportWatch {
  private readonly onHung: () => void;
  private timer: NodeJS.Timeout | undefined;
  private checksWithoutReport = 0;
  private hasEnded = false;

  /** @param onHung called once the process has been silent for {@link HUNG_AFTER_SECONDS} */
  constructor(onHung: () => void) {
    this.onHung = onHung;
  }

  get isSilent(): boolean {
    return this.checksWithoutReport >= SILENT_AFTER_CHECKS;
  }

  report(): void {
    if (this.hasEnded) return;
    this.checksWithoutReport = 0;
    this.timer ??= setInterval(() => this.check(), CHECK_EVERY_MS).unref();
  }

  end(): void {
    this.hasEnded = true;
    clearInterval(this.timer);
  }

  private check(): void {
    this.checksWithoutReport += 1;
    if (this.checksWithoutReport === HUNG_AFTER_CHECKS) this.onHung();
  }
}
