import { PostgresDialect } from 'kysely';
import pg from 'pg';

const INT8_OID = 20;
const NUMERIC_OID = 1700;

/** Returns the dialect of a PostgreSQL server; bigint and numeric (counts, sums) arrive as numbers, as on SQLite. */
export function createPostgresDialect(url: string): PostgresDialect {
  const types = new pg.TypeOverrides();
  types.setTypeParser(INT8_OID, Number);
  types.setTypeParser(NUMERIC_OID, Number);
  const pool = new pg.Pool({ connectionString: url, types, max: 10 });
  // A broken idle connection is replaced at the next query; without a listener it would end the process.
  pool.on('error', () => undefined);
  return new PostgresDialect({ pool });
}
