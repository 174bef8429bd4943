import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type pg from 'pg';

/**
 * Returns a pool whose connections are closed after a query that got no answer in time. Used again, such a connection would
 * make the next one wait behind that query, perhaps inside somebody else's transaction.
 */
export function closingLateConnections(pool: pg.Pool): PostgresPool {
  const known = new WeakMap<pg.PoolClient, BoundedClient>();
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect();
      const bounded = known.get(client) ?? new BoundedClient(client);
      known.set(client, bounded);
      return bounded;
    },
  };
}

class BoundedClient implements PostgresPoolClient {
  private readonly client: pg.PoolClient;
  private isLate = false;

  constructor(client: pg.PoolClient) {
    this.client = client;
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
    this.client.release(destroy || this.isLate);
  }

  private async ask<R>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    // A rollback would wait for the same answer.
    if (this.isLate) throw new Error('Connection terminated: an earlier query got no answer in time');
    try {
      const result: unknown = await this.client.query(text, [...parameters]);
      return result as PostgresQueryResult<R>;
    } catch (error) {
      this.isLate ||= error instanceof Error && error.message === 'Query read timeout';
      throw error;
    }
  }
}
