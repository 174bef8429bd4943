import type { App } from '../context.ts';
import { applyUsageBatch } from '../services/usage/apply-usage-batch.ts';
import type { UsageBatch } from '../services/usage/schema.ts';
import { SUBJECTS } from '../supervisor/neighbour-subjects.ts';
import type { Neighbours } from '../supervisor/neighbours.ts';
import { isFaultOfData, RefusedUsageError } from './batch-sender.ts';

/** As long as a sender waits for an attempt. */
const WITHIN_MS = 60_000;

/** What became of a batch, as it passes between processes. */
interface Outcome {
  /** Why the database can never take it; null when it has. */
  refusal: string | null;
}

/** Returns what hands batches to the process that writes them, so that this one never waits for a lock of the database. */
export function handOverUsage(neighbours: Neighbours): (batch: UsageBatch) => Promise<void> {
  return async (batch) => {
    const [first] = await neighbours.ask('housekeeper', SUBJECTS.usage, batch, WITHIN_MS);
    if (first === undefined) throw new Error('no process takes usage now');
    if ('error' in first.answer) throw new Error(`${first.name}: ${first.answer.error}`);
    const { refusal } = first.answer.body as Outcome;
    if (refusal !== null) throw new RefusedUsageError(refusal);
  };
}

/** Takes batches from the edges of this machine. One that comes again changes nothing. */
export function takeUsage(app: App): void {
  app.neighbours.on(SUBJECTS.usage, async (batch): Promise<Outcome> => {
    try {
      // From a process of the same code; the verb looks at it itself.
      await applyUsageBatch(app, batch as UsageBatch);
      return { refusal: null };
    } catch (error) {
      if (!isFaultOfData(error)) throw error;
      return { refusal: error instanceof Error ? error.message : String(error) };
    }
  });
}
