import type { Compilable, CompiledQuery } from 'kysely';
import { type Executor, isPostgres } from './client.ts';
import { keepStatement } from './dialects/kept-statements.ts';

/** A query whose text is written. */
interface Written<R> {
  query: CompiledQuery<R>;
  /** The place of each of its values among the arguments; -1 for one that is always the same. */
  places: number[];
}

/**
 * Returns a query that is built once and then only runs: for look-ups of every request. SQLite answers them faster than Kysely
 * writes them, and PostgreSQL faster than it plans them, which each connection does once. `build` gets stand-ins for the arguments, so it may use them as values of the query and
 * decide nothing by them.
 */
export function preparedQuery<A extends unknown[], R>(
  build: (executor: Executor, ...args: A) => Compilable<R>,
): (executor: Executor, ...args: A) => Promise<R[]> {
  const written = new Map<boolean, Written<R>>();
  return async (executor, ...args) => {
    const isServer = isPostgres(executor);
    let known = written.get(isServer);
    if (!known) {
      known = write(executor, build, args.length);
      if (isServer) keepStatement(known.query.sql);
      written.set(isServer, known);
    }
    const { query, places } = known;
    const parameters = places.map((place, at) => (place === -1 ? query.parameters[at] : args[place]));
    const { rows } = await executor.executeQuery<R>({ ...query, parameters });
    return rows;
  };
}

function write<A extends unknown[], R>(
  executor: Executor,
  build: (executor: Executor, ...args: A) => Compilable<R>,
  count: number,
): Written<R> {
  const stands: unknown[] = Array.from({ length: count }, () => Symbol('argument'));
  // They end up among the values of the query, where Kysely takes anything.
  const query = build(executor, ...(stands as A)).compile();
  return { query, places: query.parameters.map((value) => stands.indexOf(value)) };
}
