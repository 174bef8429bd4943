import type { App } from '../context.ts';
import { applyUsageBatch } from '../services/usage/apply-usage-batch.ts';
import type { UsageBatch } from '../services/usage/schema.ts';
import { SUBJECTS } from '../supervisor/sibling-subjects.ts';
import type { Siblings } from '../supervisor/siblings.ts';
import { isFaultOfData, RefusedUsageError } from './batch-sender.ts';

/** As long as a sender waits for an attempt. */
const WITHIN_MS = 60_000;

/** What became of a batch, as passed between processes. */
interface Outcome {
  /** Why the database can never accept it; null when it has. */
  refusal: string | null;
}

/**
 * Returns a function that hands batches to the process that writes them, so that this process never waits for
 * a database lock.
 */
export function handOverUsage(siblings: Siblings): (batch: UsageBatch) => Promise<void> {
  return async (batch) => {
    const [first] = await siblings.ask('housekeeper', SUBJECTS.usage, batch, WITHIN_MS);
    if (first === undefined) throw new Error('no process accepts usage now');
    if ('error' in first.answer) throw new Error(`${first.name}: ${first.answer.error}`);
    const { refusal } = first.answer.body as Outcome;
    if (refusal !== null) throw new RefusedUsageError(refusal);
  };
}

/** Accepts batches from the edges of this machine. Repeating one has no effect. */
export function takeUsage(app: App): void {
  app.siblings.on(SUBJECTS.usage, async (batch): Promise<Outcome> => {
    try {
      // It comes from a process of the same version; the verb validates it itself.
      await applyUsageBatch(app, batch as UsageBatch);
      return { refusal: null };
    } catch (error) {
      if (!isFaultOfData(error)) throw error;
      return { refusal: error instanceof Error ? error.message : String(error) };
    }
  });
}
