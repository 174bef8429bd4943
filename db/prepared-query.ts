import type { Compilable, CompiledQuery } from 'kysely';
import { type Executor, isPostgres } from './client.ts';
import { keepStatement } from './dialects/kept-statements.ts';

/** A compiled query. */
interface Written<R> {
  query: CompiledQuery<R>;
  /** For each of its values, the position among the arguments; -1 for a constant. */
  places: number[];
}

/**
 * Returns a query that is built once and then only run: for lookups in every request. SQLite runs them faster
 * than Kysely compiles them, and PostgreSQL faster than it plans them, which each connection does once.
 * `build` receives placeholders for the arguments: it may use them as values of the query but must not decide
 * anything by them.
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
  // They end up among the values of the query, where Kysely accepts anything.
  const query = build(executor, ...(stands as A)).compile();
  return { query, places: query.parameters.map((value) => stands.indexOf(value)) };
}
