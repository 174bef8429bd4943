import { readFileSync } from 'node:fs';

/** The time, injected so that tests control it. Times are epoch milliseconds. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** Returns the clock of an installation: the machine's, unless a test moves it. */
export function clockOf({ testClockFile }: { testClockFile: string | null }): Clock {
  return testClockFile === null ? systemClock : clockAheadBy(testClockFile);
}

/**
 * Returns a clock that is ahead of the machine's by the number of milliseconds in a file, so that a test
 * moves the time of all processes at once. The file is read each time.
 */
function clockAheadBy(path: string): Clock {
  return { now: () => Date.now() + Number(readFileSync(path, 'utf8')) };
}
