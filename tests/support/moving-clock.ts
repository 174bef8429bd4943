import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The clock of a program in processes of its own, which a test moves. */
export interface MovingClock {
  /** What the program needs to know. */
  environment: Record<string, string>;
  now(): number;
  /** Moves it to an instant, from which it goes on. */
  moveTo(at: number): Promise<void>;
}

/** Returns a clock that stands in a folder, at an instant. */
export async function createMovingClock(folder: string, at: number): Promise<MovingClock> {
  const path = join(folder, 'clock');
  let ahead = 0;
  const moveTo = async (to: number) => {
    ahead = to - Date.now();
    // Whoever reads it meanwhile has the old time or the new one.
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
