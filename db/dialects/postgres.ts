import { PostgresDialect } from 'kysely';
import pg from 'pg';
import { closingLateConnections } from './bounded-pool.ts';
import { type PulseBounds, ServerPulse } from './server-pulse.ts';

const INT8_OID = 20;
const NUMERIC_OID = 1700;

/** How long things may take at a PostgreSQL server. */
export interface PostgresBounds {
  /** Until there is a connection: a new one, or one of the pool that others give back. */
  connectionMs: number;
  /** Of one statement, after which the server gives it up. Ours take milliseconds, the longest seconds. */
  statementMs: number;
  /** Of silence after a question: more than the server itself allows a statement. */
  answerMs: number;
  /** When a silent server is found away: long before a statement would be given up. */
  pulse: PulseBounds;
}

export const POSTGRES_BOUNDS: PostgresBounds = {
  connectionMs: 10_000,
  statementMs: 30_000,
  answerMs: 33_000,
  pulse: { patienceMs: 2_000, answerMs: 2_000, againMs: 1_000 },
};

/**
 * Returns the dialect of a PostgreSQL server; bigint and numeric (counts, sums) arrive as numbers, as on SQLite.
 * @param bounds null where statements may take as long as they need, as migrations do
 */
export function createPostgresDialect(url: string, bounds: PostgresBounds | null): PostgresDialect {
  const types = new pg.TypeOverrides();
  types.setTypeParser(INT8_OID, Number);
  types.setTypeParser(NUMERIC_OID, Number);
  const pool = new pg.Pool({
    ...{ connectionString: url, types, max: 10 },
    // A server that is gone without a word is noticed within half a minute, and not when somebody waits for it for ever.
    ...{ keepAlive: true, keepAliveInitialDelayMillis: 10_000 },
    ...(bounds && boundsOfPool(bounds)),
  });
  // A broken connection is replaced at the next query; without listeners it would end the process. The pool listens only to
  // idle ones, and one in the middle of a transaction may break between two statements.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const pulse = bounds && new ServerPulse((withinMs) => isServerThere(url, withinMs), bounds.pulse);
  return new PostgresDialect({ pool: closingLateConnections(pool, pulse) });
}

function boundsOfPool({ connectionMs, statementMs, answerMs }: PostgresBounds): pg.PoolConfig {
  return {
    connectionTimeoutMillis: connectionMs,
    query_timeout: answerMs,
    // Said on the connection: poolers such as PgBouncer refuse it among the parameters of the start.
    onConnect: async (client) => {
      await client.query(`set statement_timeout = ${statementMs}`);
    },
  };
}

/** Whether a server answers a new connection, be it with a refusal such as too many connections. */
async function isServerThere(url: string, withinMs: number): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: withinMs });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch (error) {
    return error instanceof pg.DatabaseError;
  } finally {
    // The goodbye message is not awaited.
    void client.end().catch(() => undefined);
  }
}
