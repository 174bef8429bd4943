import { Kysely, type Transaction } from 'kysely';
import { createPostgresDialect, POSTGRES_BOUNDS, VISITOR_BOUNDS } from './dialects/postgres.ts';
import { createSqliteDialect } from './dialects/sqlite.ts';
import type { Database } from './schema/database.ts';

export type Db = Kysely<Database>;
export type Trx = Transaction<Database>;
/**
 * Either: functions that read take it first. Inside a transaction, pass the transaction: a read outside it
 * does not see its changes, and on SQLite a write outside it waits for it forever.
 */
export type Executor = Db | Trx;

/**
 * Returns a database handle for `sqlite:{path}` or `postgres://…`. The caller destroys it.
 * @param isPatient whether a statement may take as long as it needs because no request waits for it
 * @param isReadOnly whether only visitors' look-ups use it: SQLite is opened read-only, and a PostgreSQL server, which
 * has its own ways to prevent writes, cancels what takes longer than a visitor waits
 */
export function openDatabase(
  url: string,
  { isPatient = false, isReadOnly = false }: { isPatient?: boolean; isReadOnly?: boolean } = {},
): Db {
  const bounds = isReadOnly ? VISITOR_BOUNDS : POSTGRES_BOUNDS;
  const dialect = url.startsWith('sqlite:')
    ? createSqliteDialect(url.slice('sqlite:'.length), { isReadOnly })
    : createPostgresDialect(url, isPatient ? null : bounds);
  return new Kysely<Database>({ dialect });
}

/** Whether the handle connects to PostgreSQL, for the few places where the engines differ. */
export function isPostgres(executor: Kysely<never> | Executor): boolean {
  return executor.getExecutor().adapter.constructor.name === 'PostgresAdapter';
}
