import { Kysely, type Transaction } from 'kysely';
import { createPostgresDialect, POSTGRES_BOUNDS } from './dialects/postgres.ts';
import { createSqliteDialect } from './dialects/sqlite.ts';
import type { Database } from './schema/database.ts';

export type Db = Kysely<Database>;
export type Trx = Transaction<Database>;
/** Either: reads take it first. Inside a transaction pass the transaction, or SQLite waits for itself for ever. */
export type Executor = Db | Trx;

/**
 * Returns a database handle for `sqlite:{path}` or `postgres://…`. The caller destroys it.
 * @param isPatient whether a statement may take as long as it needs, and nobody waits for it
 */
export function openDatabase(url: string, { isPatient = false }: { isPatient?: boolean } = {}): Db {
  const dialect = url.startsWith('sqlite:')
    ? createSqliteDialect(url.slice('sqlite:'.length))
    : createPostgresDialect(url, isPatient ? null : POSTGRES_BOUNDS);
  return new Kysely<Database>({ dialect });
}

/** Whether the handle speaks to PostgreSQL; the few places where the engines differ ask here. */
export function isPostgres(executor: Kysely<never> | Executor): boolean {
  return executor.getExecutor().adapter.constructor.name === 'PostgresAdapter';
}
