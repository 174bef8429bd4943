import type { Db, Trx } from './client.ts';

/** Registers an effect outside the database (telling the edge, deleting a file) that happens only after the commit. */
export type AfterCommit = (effect: () => void) => void;

/** Runs `work` in one transaction, then its after-commit effects in order. Nothing happens when `work` throws. */
export async function inTransaction<T>(
  db: Db,
  work: (trx: Trx, afterCommit: AfterCommit) => Promise<T>,
): Promise<T> {
  const effects: (() => void)[] = [];
  const result = await db.transaction().execute((trx) => work(trx, (effect) => effects.push(effect)));
  for (const effect of effects) effect();
  return result;
}
