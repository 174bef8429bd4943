import type { Trx } from '#db/client.ts';

/** The position of a batch: a process's batches arrive in order within a run, and each is applied once. */
export interface BatchPlace {
  node_id: string;
  /** One run of the process. */
  boot_id: string;
  sequence: number;
}

/** Advances the cursor of the node's run to the batch; false when it is already there or beyond. */
export async function advanceCursor(
  trx: Trx,
  { node_id, boot_id, sequence }: BatchPlace,
  now: number,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('usage_cursors')
    .values({ node_id, boot_id, sequence, updated_at: now })
    .onConflict((conflict) =>
      conflict
        .columns(['node_id', 'boot_id'])
        .doUpdateSet({ sequence, updated_at: now })
        .where('usage_cursors.sequence', '<', sequence),
    )
    .executeTakeFirstOrThrow();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}
