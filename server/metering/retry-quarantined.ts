import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type UsageBatch, usageBatchSchema } from '../services/usage/schema.ts';
import { isGone, isQuarantined } from './spool-folder.ts';

/** What became of a quarantined batch. */
export interface RetriedBatch {
  file: string;
  /** Null when it has been counted and removed. */
  problem: string | null;
}

/**
 * Counts quarantined batches that can be counted now, because they or the cause were fixed. The run that
 * counted them has continued, so each is sent as a run with a name derived from it: it is counted once, even
 * if this is interrupted and repeated.
 */
export async function retryQuarantined(
  root: string,
  apply: (batch: UsageBatch) => Promise<unknown>,
): Promise<RetriedBatch[]> {
  const names = await readdir(root).catch((error: unknown) => {
    if (isGone(error)) return [];
    throw error;
  });
  const retried: RetriedBatch[] = [];
  for (const file of names.filter(isQuarantined).sort()) {
    try {
      const batch = usageBatchSchema.parse(JSON.parse(await readFile(join(root, file), 'utf8')));
      const boot_id = `again-${batch.sequence}-${batch.boot_id}`;
      await apply({ ...batch, boot_id, sequence: 1 });
      await rm(join(root, file));
      retried.push({ file, problem: null });
    } catch (error) {
      retried.push({ file, problem: problemOf(error) });
    }
  }
  return retried;
}

function problemOf(error: unknown): string {
  if (error instanceof z.ZodError) return z.prettifyError(error).replaceAll(/\s+/g, ' ');
  return error instanceof Error ? error.message : String(error);
}
