import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type pg from 'pg';
import { currentAsker } from '../asker.ts';
import type { ConnectionTurns } from './connection-turns.ts';
import { isLostStatement, keptStatementName } from './kept-statements.ts';
import type { ServerPulse } from './server-pulse.ts';

/**
 * PostgreSQL's error for a write on a copy, or where transactions are read-only. A connection stays what it was
 * when it was opened, also after the address of the database has moved or writes are allowed again.
 */
const READ_ONLY_CODE = '25006';

/**
 * Returns a pool that closes a connection after a query that got no response in time, or when the server was
 * found unreachable or refused a write. If such a connection were reused, the next query would wait behind that one, perhaps
 * inside another request's transaction.
 * @param turns in which askers get connections; null for a pool that nobody's requests use
 */
export function closingLateConnections(
  pool: pg.Pool,
  pulse: ServerPulse | null,
  turns: ConnectionTurns | null,
): PostgresPool {
  const known = new WeakMap<pg.PoolClient, BoundedClient>();
  const statements = { areKept: true };
  const open = async (isAwaited: () => boolean): Promise<BoundedClient> => {
    for (;;) {
      if (!isAwaited()) throw new Error('Connection terminated: its caller no longer waits');
      const client = await pool.connect();
      const bounded = known.get(client) ?? new BoundedClient(client, pulse, statements);
      known.set(client, bounded);
      if (isAwaited() && !bounded.isOutdated) return bounded;
      bounded.release();
    }
  };
  const connect = async (isAwaited: () => boolean): Promise<BoundedClient> => {
    const giveBack = await turns?.take(currentAsker());
    try {
      const client = await open(isAwaited);
      client.onRelease = giveBack;
      return client;
    } catch (error) {
      giveBack?.();
      throw error;
    }
  };
  return {
    options: pool.options,
    connect: () => (pulse ? pulse.wait(connect) : connect(() => true)),
    end() {
      pulse?.stop();
      return pool.end();
    },
  };
}

class BoundedClient implements PostgresPoolClient {
  /** Called when whoever has this connection returns it. */
  onRelease: (() => void) | undefined;
  private readonly client: pg.PoolClient;
  private readonly pulse: ServerPulse | null;
  private readonly statements: { areKept: boolean };
  private readonly absences: number;
  private isLate = false;
  private isReadOnly = false;
  private isInTransaction = false;

  /**
   * @param statements whether connections of the pool keep prepared statements, as they do without a pooler
   * in between
   */
  constructor(client: pg.PoolClient, pulse: ServerPulse | null, statements: { areKept: boolean }) {
    this.client = client;
    this.pulse = pulse;
    this.statements = statements;
    this.absences = pulse?.absences ?? 0;
  }

  /** Whether the server has been unreachable since this connection was opened. */
  get isOutdated(): boolean {
    return this.isLate || (this.pulse?.absences ?? 0) !== this.absences;
  }

  query<R>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  query<R>(
    text: string | PostgresCursor<R>,
    parameters: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<R>> | PostgresCursor<R> {
    if (typeof text !== 'string') throw new TypeError('rows are not streamed from PostgreSQL');
    return this.ask(text, parameters);
  }

  release(destroy = false): void {
    this.client.release(destroy || this.isOutdated || this.isReadOnly);
    const { onRelease } = this;
    this.onRelease = undefined;
    onRelease?.();
  }

  private async ask<R>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    // A rollback would wait for the same response.
    if (this.isOutdated) throw new Error('Connection terminated: an earlier query got no answer in time');
    this.noteTransaction(text);
    const name = this.mayKeep() ? keptStatementName(text) : undefined;
    const query: pg.QueryConfig = { text, values: [...parameters], ...(name !== undefined && { name }) };
    const answer = () => this.client.query(query);
    try {
      const result: unknown = await (this.pulse ? this.pulse.wait(answer) : answer());
      return result as PostgresQueryResult<R>;
    } catch (error) {
      this.isLate ||= error instanceof Error && error.message === 'Query read timeout';
      this.isReadOnly ||= error instanceof Error && 'code' in error && error.code === READ_ONLY_CODE;
      if (name === undefined || !isLostStatement(error)) throw error;
      // The statement did not run. From now on all statements are sent in full.
      this.statements.areKept = false;
      return this.ask(text, parameters);
    }
  }

  private noteTransaction(text: string): void {
    if (/^(begin|start transaction)/.test(text)) this.isInTransaction = true;
    else if (text === 'commit' || text === 'rollback') this.isInTransaction = false;
  }

  /** A lost prepared statement would fail the whole transaction. */
  private mayKeep(): boolean {
    return this.statements.areKept && !this.isInTransaction;
  }
}
