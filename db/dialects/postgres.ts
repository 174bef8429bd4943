import { PostgresDialect } from 'kysely';
import pg from 'pg';

const INT8_OID = 20;
const NUMERIC_OID = 1700;

/** Returns the dialect of a PostgreSQL server; bigint and numeric (counts, sums) arrive as numbers, as on SQLite. */
export function createPostgresDialect(url: string): PostgresDialect {
  const types = new pg.TypeOverrides();
  types.setTypeParser(INT8_OID, Number);
  types.setTypeParser(NUMERIC_OID, Number);
  const pool = new pg.Pool({
    ...{ connectionString: url, types, max: 10 },
    // A server that is gone without a word is noticed within half a minute, and not when somebody waits for it for ever.
    ...{ keepAlive: true, keepAliveInitialDelayMillis: 10_000 },
  });
  // A broken connection is replaced at the next query; without listeners it would end the process. The pool listens only to
  // idle ones, and one in the middle of a transaction may break between two statements.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return new PostgresDialect({ pool });
}
