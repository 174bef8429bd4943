import { AsyncLocalStorage } from 'node:async_hooks';
import { type RawBuilder, sql } from 'kysely';
import { type Db, isPostgres, type Trx } from './client.ts';
import { deferCommits } from './dialects/sqlite.ts';

const current = new AsyncLocalStorage<{ isOpen: boolean }>();

/**
 * Whether the caller runs inside a transaction that has not ended: nothing outside the database may be
 * awaited there.
 */
export function isInTransaction(): boolean {
  return current.getStore()?.isOpen ?? false;
}

/** How a transaction is committed. */
export interface CommitOptions {
  /**
   * The commit does not wait for the disk: after a power cut the transaction may not have happened, and
   * neither did what followed it. For the steps of a larger piece of work whose last step waits, and which is
   * reported to no one before that.
   */
  isDeferred?: boolean;
}

/** Runs `work` in one transaction and returns its result after the commit. Nothing is written when it throws. */
export async function inTransaction<T>(
  db: Db,
  work: (trx: Trx) => Promise<T>,
  { isDeferred = false }: CommitOptions = {},
): Promise<T> {
  const run = (connection: Db, prepare?: RawBuilder<unknown>) =>
    connection.transaction().execute(async (trx) => {
      await prepare?.execute(trx);
      const state = { isOpen: true };
      try {
        return await current.run(state, () => work(trx));
      } finally {
        state.isOpen = false;
      }
    });
  return isDeferred ? runDeferred(db, run) : run(db);
}

/**
 * Runs a transaction whose commit does not wait for the disk. On SQLite the log is synced by the next commit
 * that does wait, and before it is copied into the database
 * (https://sqlite.org/pragma.html#pragma_synchronous).
 */
function runDeferred<T>(
  db: Db,
  run: (connection: Db, prepare?: RawBuilder<unknown>) => Promise<T>,
): Promise<T> {
  if (isPostgres(db)) return run(db, sql`set local synchronous_commit = off`);
  return db.connection().execute(async (connection) => {
    await connection.getExecutor().provideConnection(deferCommits);
    return run(connection);
  });
}
