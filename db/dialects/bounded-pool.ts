import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type pg from 'pg';
import type { ServerPulse } from './server-pulse.ts';

/**
 * Returns a pool whose connections are closed after a query that got no answer in time, or when the server was found away.
 * Used again, such a connection would make the next one wait behind that query, perhaps inside somebody else's transaction.
 */
export function closingLateConnections(pool: pg.Pool, pulse: ServerPulse | null): PostgresPool {
  const known = new WeakMap<pg.PoolClient, BoundedClient>();
  const connect = async (isAwaited: () => boolean): Promise<BoundedClient> => {
    for (;;) {
      const client = await pool.connect();
      const bounded = known.get(client) ?? new BoundedClient(client, pulse);
      known.set(client, bounded);
      if (isAwaited() && !bounded.isOutdated) return bounded;
      bounded.release();
      if (!isAwaited()) throw new Error('Connection terminated: nobody waits for it any more');
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
  private readonly client: pg.PoolClient;
  private readonly pulse: ServerPulse | null;
  private readonly absences: number;
  private isLate = false;

  constructor(client: pg.PoolClient, pulse: ServerPulse | null) {
    this.client = client;
    this.pulse = pulse;
    this.absences = pulse?.absences ?? 0;
  }

  /** Whether the server has been away since it was connected. */
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
    this.client.release(destroy || this.isOutdated);
  }

  private async ask<R>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    // A rollback would wait for the same answer.
    if (this.isOutdated) throw new Error('Connection terminated: an earlier query got no answer in time');
    const answer = () => this.client.query(text, [...parameters]);
    try {
      const result: unknown = await (this.pulse ? this.pulse.wait(answer) : answer());
      return result as PostgresQueryResult<R>;
    } catch (error) {
      this.isLate ||= error instanceof Error && error.message === 'Query read timeout';
      throw error;
    }
  }
}
