import { Kysely, type Transaction } from 'kysely';
import { createPostgresDialect, POSTGRES_BOUNDS } from './dialects/postgres.ts';
import { createSqliteDialect } from './dialects/sqlite.ts';
import type { Database } from './schema/database.ts';

export type Db = Kysely<Database>;
export type Trx = Transaction<Database>;
/**
 * Either: reads take it first. Inside a transaction pass the transaction: a read beside it does not see what it has done, and on
 * SQLite a write beside it waits for it for ever.
 */
export type Executor = Db | Trx;

/**
 * Returns a database handle for `sqlite:{path}` or `postgres://…`. The caller destroys it.
 * @param isPatient whether a statement may take as long as it needs, and nobody waits for it
 * @param isReadOnly whether SQLite is opened without the means to write; a PostgreSQL server has its own ways to refuse it
 */
export function openDatabase(
  url: string,
  { isPatient = false, isReadOnly = false }: { isPatient?: boolean; isReadOnly?: boolean } = {},
): Db {
  const dialect = url.startsWith('sqlite:')
    ? createSqliteDialect(url.slice('sqlite:'.length), { isReadOnly })
    : createPostgresDialect(url, isPatient ? null : POSTGRES_BOUNDS);
  return new Kysely<Database>({ dialect });
}

/** Whether the handle speaks to PostgreSQL; the few places where the engines differ ask here. */
export function isPostgres(executor: Kysely<never> | Executor): boolean {
  return executor.getExecutor().adapter.constructor.name === 'PostgresAdapter';
}
