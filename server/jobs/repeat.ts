/** A burst of reasons to hurry is one run. */
const HURRY_MS = 20;

/** Work that repeats until it is stopped. */
export interface Repetition {
  /** Runs the work soon instead of at its time, and again if it is running. */
  hurry(): void;
  /** Prevents new runs and resolves when the current one has ended. */
  stop(): Promise<void>;
}

/**
 * Runs `work`, waits, and runs it again: two runs never overlap, and a failed one does not end the series.
 * The first run begins after `firstAfterMs` (the interval unless given).
 */
export function repeat(
  everyMs: number,
  work: () => Promise<void>,
  onError: (error: unknown) => void,
  firstAfterMs = everyMs,
): Repetition {
  let isStopped = false;
  let isHurried = false;
  let isRunning = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const schedule = (delayMs: number) => {
    timer = setTimeout(() => {
      isHurried = false;
      isRunning = true;
      running = work()
        .catch(onError)
        .then(() => {
          isRunning = false;
          if (!isStopped) schedule(isHurried ? HURRY_MS : everyMs);
        });
    }, delayMs);
    timer.unref();
  };
  schedule(firstAfterMs);
  return {
    hurry() {
      if (isStopped || isHurried) return;
      isHurried = true;
      if (isRunning) return;
      clearTimeout(timer);
      schedule(HURRY_MS);
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
