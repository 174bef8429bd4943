import { createRequire } from 'node:module';
import { PostgresDialect } from 'kysely';
import type postgres from 'pg';
import { closingLateConnections } from './bounded-pool.ts';
import { ConnectionTurns } from './connection-turns.ts';
import { type PulseBounds, ServerPulse } from './server-pulse.ts';

const require = createRequire(import.meta.url);
/** Loads node-postgres only if a PostgreSQL server is used, to save memory on SQLite. */
export const loadPg = (): typeof postgres => require('pg');

/** Of a process. */
const CONNECTIONS_MAX = 10;
/** For one asker, such as an organization. */
const CONNECTIONS_PER_ASKER_MAX = 5;

const INT8_OID = 20;
const NUMERIC_OID = 1700;

/** Timeouts for a PostgreSQL server. */
export interface PostgresBounds {
  /** Until a connection is available: a new one, or one that is returned to the pool. */
  connectionMs: number;
  /**
   * Of one statement, after which the server cancels it. Ours take milliseconds, the longest take seconds.
   */
  statementMs: number;
  /** Of a statement for a lock: what waits behind a forgotten transaction gives its connection back. */
  lockMs: number;
  /**
   * Without a statement inside a transaction, after which the server rolls it back. The server may not learn for hours
   * that a process is gone, as when a network drops everything, and would keep its locks.
   */
  idleTransactionMs: number;
  /** Without a response to a query: longer than the server itself allows a statement. */
  answerMs: number;
  /** When a silent server is considered unreachable: long before a statement would be cancelled. */
  pulse: PulseBounds;
}

/**
 * When the server asks whether the other end of a silent connection is still there, so that connections of a process
 * that is gone do not use up those it accepts: it ends them after a minute instead of two hours.
 */
const KEEPALIVE = { idleSeconds: 30, intervalSeconds: 10, count: 3 };

/** Makes the server look after a connection in this way. */
export const KEEPALIVE_STATEMENTS = `set tcp_keepalives_idle = ${KEEPALIVE.idleSeconds};
  set tcp_keepalives_interval = ${KEEPALIVE.intervalSeconds};
  set tcp_keepalives_count = ${KEEPALIVE.count}`;

export const POSTGRES_BOUNDS: PostgresBounds = {
  connectionMs: 10_000,
  statementMs: 30_000,
  lockMs: 10_000,
  idleTransactionMs: 10_000,
  answerMs: 33_000,
  pulse: { patienceMs: 2_000, answerMs: 2_000, againMs: 1_000 },
};

/**
 * For edges: their look-ups take milliseconds, and a visitor whose look-up waits for a lock is served what is known
 * of a hostname instead. A silent server is unreachable after half the time, within which a visitor of a hostname that
 * an edge does not know still waits.
 */
export const VISITOR_BOUNDS: PostgresBounds = {
  ...POSTGRES_BOUNDS,
  statementMs: 5_000,
  answerMs: 8_000,
  pulse: { patienceMs: 1_000, answerMs: 1_000, againMs: 1_000 },
};

/**
 * Returns the dialect of a PostgreSQL server; bigint and numeric (counts, sums) arrive as numbers, as on
 * SQLite.
 * @param bounds null when statements may take as long as they need, as in migrations
 */
export function createPostgresDialect(url: string, bounds: PostgresBounds | null): PostgresDialect {
  const pg = loadPg();
  const types = new pg.TypeOverrides();
  types.setTypeParser(INT8_OID, Number);
  types.setTypeParser(NUMERIC_OID, Number);
  const pool = new pg.Pool({
    ...{ connectionString: url, types, max: CONNECTIONS_MAX },
    // A server that disappears silently is noticed within half a minute, not when a request waits for it
    // forever.
    ...{ keepAlive: true, keepAliveInitialDelayMillis: 10_000 },
    ...(bounds && boundsOfPool(bounds)),
  });
  // A broken connection is replaced at the next query; without listeners it would end the process. The pool
  // only listens to idle ones, and a connection in the middle of a transaction may break between two
  // statements.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const pulse = bounds && new ServerPulse((withinMs) => isServerThere(url, withinMs), bounds.pulse);
  const turns =
    bounds &&
    new ConnectionTurns({
      ...{ atOnce: CONNECTIONS_MAX, atOncePerAsker: CONNECTIONS_PER_ASKER_MAX },
      waitMs: bounds.connectionMs,
    });
  return new PostgresDialect({ pool: closingLateConnections(pool, pulse, turns) });
}

function boundsOfPool(bounds: PostgresBounds): postgres.PoolConfig {
  return {
    connectionTimeoutMillis: bounds.connectionMs,
    query_timeout: bounds.answerMs,
    // Set on the connection: poolers such as PgBouncer reject them as startup parameters.
    onConnect: async (client) => {
      await client.query(
        `set statement_timeout = ${bounds.statementMs};
        set lock_timeout = ${bounds.lockMs};
        set idle_in_transaction_session_timeout = ${bounds.idleTransactionMs};
        ${KEEPALIVE_STATEMENTS}`,
      );
    },
  };
}

/** Whether a server responds to a new connection, even with a refusal such as too many connections. */
async function isServerThere(url: string, withinMs: number): Promise<boolean> {
  const pg = loadPg();
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
