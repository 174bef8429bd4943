import { z } from 'zod';
import type { Executor } from '#db/client.ts';
import type { App } from '#server/context.ts';

const positionSchema = z.object({
  /** Epoch milliseconds. */
  started_at: z.number(),
  /** Null while it is running. */
  finished_at: z.number().nullable(),
  /** The last one that was read. */
  after_id: z.string(),
  pieces: z.number(),
  bytes: z.number(),
});

/** The progress of the current pass over all stored content. */
export type ScrubPosition = z.infer<typeof positionSchema>;

/** Returns the position; null when it has never started. */
export async function readScrubPosition(executor: Executor, name: string): Promise<ScrubPosition | null> {
  const row = await executor
    .selectFrom('installation_values')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirst();
  return row === undefined ? null : positionSchema.parse(JSON.parse(row.value));
}

export async function writeScrubPosition(
  { db, clock }: App,
  name: string,
  position: ScrubPosition,
): Promise<void> {
  const value = JSON.stringify(position);
  await db
    .insertInto('installation_values')
    .values({ name, value, created_at: clock.now() })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}
