import { AsyncLocalStorage } from 'node:async_hooks';
import type { Db, Trx } from './client.ts';

const current = new AsyncLocalStorage<{ isOpen: boolean }>();

/** Whether the caller runs inside a transaction that has not ended: nothing outside the database may be waited for there. */
export function isInTransaction(): boolean {
  return current.getStore()?.isOpen ?? false;
}

/** Registers an effect outside the database (telling the edge, deleting a file) that happens only after the commit. */
export type AfterCommit = (effect: () => void) => void;

/** Runs `work` in one transaction, then its after-commit effects in order. Nothing happens when `work` throws. */
export async function inTransaction<T>(
  db: Db,
  work: (trx: Trx, afterCommit: AfterCommit) => Promise<T>,
): Promise<T> {
  const effects: (() => void)[] = [];
  const result = await db.transaction().execute(async (trx) => {
    const state = { isOpen: true };
    try {
      return await current.run(state, () => work(trx, (effect) => effects.push(effect)));
    } finally {
      state.isOpen = false;
    }
  });
  for (const effect of effects) effect();
  return result;
}
