/** Work that repeats until it is stopped. */
export interface Repetition {
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
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const schedule = (delayMs: number) => {
    timer = setTimeout(() => {
      running = work()
        .catch(onError)
        .then(() => {
          if (!isStopped) schedule(everyMs);
        });
    }, delayMs);
    timer.unref();
  };
  schedule(firstAfterMs);
  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
