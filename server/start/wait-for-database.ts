import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../logging/logger.ts';
import { isOutage } from '../outage.ts';

const AGAIN_MS = 1_000;

/**
 * Resolves when the database answers, with true. A process that is started again during an outage waits for
 * its end: ending instead would be followed by ever longer pauses, the last of which outlasts the outage. One
 * that can do its work without the database gets false instead of waiting.
 * @param ask sends a statement that reads a table
 * @throws what the statement fails with when that is no outage
 */
export async function waitForDatabase(
  ask: () => Promise<unknown>,
  logger: Pick<Logger, 'info' | 'warn'>,
  { canDoWithout = false }: { canDoWithout?: boolean } = {},
): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await ask();
      if (attempt > 1) logger.info('the database answers: the start continues');
      return true;
    } catch (error) {
      if (!isOutage(error)) throw error;
      if (canDoWithout) {
        logger.warn({ err: error }, 'the database does not answer: the start continues with what is kept');
        return false;
      }
      if (attempt === 1) logger.warn({ err: error }, 'the database does not answer: the start waits for it');
      await sleep(AGAIN_MS);
    }
  }
}
