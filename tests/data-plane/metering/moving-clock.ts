import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The clock of a program in other processes, which a test moves. */
export interface MovingClock {
  /** The environment of the program. */
  environment: Record<string, string>;
  now(): number;
  /** Moves it to an instant, from which it continues. */
  moveTo(at: number): Promise<void>;
}

/** Returns a clock in a folder, set to an instant. */
export async function createMovingClock(folder: string, at: number): Promise<MovingClock> {
  const path = join(folder, 'clock');
  let ahead = 0;
  const moveTo = async (to: number) => {
    ahead = to - Date.now();
    // A concurrent reader gets the old time or the new one.
    await writeFile(`${path}.new`, String(ahead));
    await rename(`${path}.new`, path);
  };
  await moveTo(at);
  return {
    environment: { NODE_ENV: 'test', TEST_CLOCK_FILE: path },
    now: () => Date.now() + ahead,
    moveTo,
  };
}
