import { type RawBuilder, sql } from 'kysely';
import { type Executor, isPostgres } from './client.ts';

/**
 * The database's own clock as an expression, in epoch milliseconds: what several machines compare with each other goes by
 * one clock. It goes on during a transaction. An embedded database has the clock of its one machine.
 */
export function databaseNow(executor: Executor): RawBuilder<number> {
  return isPostgres(executor)
    ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql<number>`cast(unixepoch('subsec') * 1000 as integer)`;
}
