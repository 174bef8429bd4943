import { type RawBuilder, sql } from 'kysely';
import { type Executor, isPostgres } from './client.ts';

/**
 * The database's own clock as an expression, in epoch milliseconds: what several machines compare uses one
 * clock. It advances during a transaction. An embedded database uses the clock of its one machine.
 */
export function databaseNow(executor: Executor): RawBuilder<number> {
  return isPostgres(executor)
    ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql<number>`cast(unixepoch('subsec') * 1000 as integer)`;
}
