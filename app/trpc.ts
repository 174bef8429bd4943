import {
  hashKey,
  type QueryClient,
  type QueryKey,
  type UseInfiniteQueryResult,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useSuspenseQuery,
} from '@tanstack/react-query';
import type { TRPCClient } from '@trpc/client';
import type { createTRPCQueryUtils, createTRPCReact } from '@trpc/react-query';
import { createContext, useContext, useRef } from 'react';
import type { AppRouter } from '#server/routers/app-router.ts';

/*
 * The part of @trpc/react-query that the console uses, with the library's types and its query keys. The library itself would be 5 KB
 * of every first page: it has subscriptions, lists of queries and prefetching while rendering too, and is compiled for old browsers.
 */

type Client = TRPCClient<AppRouter>;

/** What asks the server, given the name of a procedure. */
export interface Calls {
  query: Ask;
  mutation: Ask;
}
type Ask = (path: string, input: unknown, options?: { signal?: AbortSignal }) => Promise<unknown>;

/** What loaders use, and what follows a change: `utils.sites.list.invalidate()`. */
export type TrpcUtils = Only<ReturnType<typeof createTRPCQueryUtils<AppRouter>>, keyof typeof UTILITIES> & {
  /** Asks without keeping the response. */
  client: Client;
  calls: Calls;
};

type Hooks = Only<ReturnType<typeof createTRPCReact<AppRouter>>, keyof typeof HOOKS> & {
  useUtils: () => TrpcUtils;
};

/** What is reached by names, with only those functions that `Names` lists. */
type Only<Reached, Names extends string> = {
  [Name in keyof Reached as Reached[Name] extends AnyFunction
    ? Extract<Name, Names>
    : Name]: Reached[Name] extends AnyFunction ? Reached[Name] : Only<Reached[Name], Names>;
};
type AnyFunction = (...args: never[]) => unknown;

/** Inputs and options: the library's types have checked them. */
type Options = Record<string, unknown>;

const UtilsContext = createContext<TrpcUtils | null>(null);

/** Gives the hooks of the components below what they ask through. */
export const TrpcProvider = UtilsContext.Provider;

function useUtils(): TrpcUtils {
  const utils = useContext(UtilsContext);
  if (!utils) throw new Error('There is no TrpcProvider around this component.');
  return utils;
}

const HOOKS = {
  useQuery(path: string[], input: unknown, options?: Options) {
    const query = { ...options, ...queryOf(useUtils().calls, path, input) };
    return useKeptError(useQuery(query), query.queryKey);
  },

  useSuspenseQuery(path: string[], input: unknown, options?: Options) {
    const query = useSuspenseQuery({ ...options, ...queryOf(useUtils().calls, path, input) });
    return [query.data, query];
  },

  useInfiniteQuery(path: string[], input: unknown, options?: Options) {
    // The type requires getNextPageParam, which the library's own type has already required of the caller.
    const query = { ...(options as PageOptions), ...pagesOf(useUtils().calls, path, input) };
    return useKeptError(useInfiniteQuery(query), query.queryKey);
  },

  useMutation(path: string[], options?: Options) {
    const { calls } = useUtils();
    const mutationFn = (input: unknown) => calls.mutation(path.join('.'), input);
    return useMutation({ ...options, mutationKey: [path], mutationFn });
  },
};
type Call = (...args: unknown[]) => unknown;
type PageOptions = Pick<Parameters<typeof useInfiniteQuery>[0], 'getNextPageParam'>;

/** Hooks for components: `trpc.sites.list.useSuspenseQuery(…)`. */
export const trpc = reach<Hooks>({ useUtils }, (path, hook, args) =>
  // Safe: the type names no other hook, and has checked its arguments.
  (HOOKS[hook as keyof typeof HOOKS] as Call)(path, ...args),
);

/**
 * Keeps the error of a query that has no data while it is repeated: react-query drops it at the beginning of each attempt, and a page
 * would switch between the error and its skeleton.
 */
function useKeptError<Result extends UseQueryResult | UseInfiniteQueryResult>(
  result: Result,
  queryKey: QueryKey,
): Result {
  const failure = useRef<{ key: string; error: unknown } | null>(null);
  const key = hashKey(queryKey);
  if (result.isError) failure.current = { key, error: result.error };
  else if (result.isSuccess) failure.current = null;
  if (!result.isPending || failure.current?.key !== key) return result;
  const { error } = failure.current;
  return { ...result, error, status: 'error', isPending: false, isLoading: false, isError: true };
}

type Utility = (queries: QueryClient, calls: Calls, path: string[], ...args: never[]) => unknown;

const UTILITIES = {
  fetch: (queries, calls, path, input, options?: Options) =>
    queries.fetchQuery({ ...options, ...queryOf(calls, path, input) }),
  prefetch: (queries, calls, path, input, options?: Options) =>
    queries.prefetchQuery({ ...options, ...queryOf(calls, path, input) }),
  ensureData: (queries, calls, path, input, options?: Options) =>
    queries.ensureQueryData({ ...options, ...queryOf(calls, path, input) }),
  prefetchInfinite: (queries, calls, path, input, options?: Options) =>
    queries.prefetchInfiniteQuery({ ...options, ...pagesOf(calls, path, input) }),
  getData: (queries, _, path, input) => queries.getQueryData(keyOf(path, input, 'query')),
  setData: (queries, _, path, input, ...change: [unknown]) =>
    queries.setQueryData(keyOf(path, input, 'query'), ...change),
  setInfiniteData: (queries, _, path, input, ...change: [unknown]) =>
    queries.setQueryData(keyOf(path, input, 'infinite'), ...change),
  cancel: (queries, _, path, input, options?: Options) =>
    queries.cancelQueries({ queryKey: keyOf(path, input) }, options),
  refetch: (queries, _, path, input, filters?: Options, options?: Options) =>
    queries.refetchQueries({ ...filters, queryKey: keyOf(path, input) }, options),
  invalidate: (queries, _, path, input, filters?: Options, options?: Options) =>
    queries.invalidateQueries({ ...filters, queryKey: keyOf(path, input) }, options),
} satisfies Record<string, Utility>;

/** Returns the utilities of one page. */
export function createTrpcUtils(calls: Calls, queries: QueryClient): TrpcUtils {
  const client = reach<Client>({}, (path, kind, [input, options]) =>
    calls[kind === 'query' ? 'query' : 'mutation'](path.join('.'), input, options as Parameters<Ask>[2]),
  );
  return reach<TrpcUtils>({ client, calls }, (path, utility, args) =>
    // Safe, as above.
    (UTILITIES[utility as keyof typeof UTILITIES] as Call)(queries, calls, path, ...args),
  );
}

function queryOf(calls: Calls, path: string[], input: unknown) {
  const queryFn = () => calls.query(path.join('.'), input);
  return { queryKey: keyOf(path, input, 'query'), queryFn };
}

/** A list that is read page by page. */
function pagesOf(calls: Calls, path: string[], input: unknown) {
  const readPage = ({ pageParam }: { pageParam: unknown }) =>
    calls.query(path.join('.'), { ...(input as object), cursor: pageParam ?? undefined });
  return { queryKey: keyOf(path, input, 'infinite'), queryFn: readPage, initialPageParam: null };
}

/** Returns the key of what a procedure answers; without an input, also the beginning of all its keys, or of a router's. */
function keyOf(path: string[], input: unknown, type?: 'query' | 'infinite'): QueryKey {
  if (path.length === 0) return [];
  if (input === undefined && !type) return [path];
  return [path, { ...(input === undefined ? {} : { input }), ...(type && { type }) }];
}

/**
 * Returns a proxy that reaches functions by the names of a path: for `result.sites.list.fetch(1)`, `act` gets
 * the path `['sites', 'list']`, the name `fetch` and the arguments `[1]`. Names of `known` are found there.
 */
function reach<Reached>(
  known: Record<string, unknown>,
  act: (path: string[], name: string, args: unknown[]) => unknown,
  path: string[] = [],
): Reached {
  const proxy: unknown = new Proxy(() => {}, {
    get(_, name) {
      // A promise would ask for `then`.
      if (typeof name !== 'string' || name === 'then') return undefined;
      return known[name] ?? reach({}, act, [...path, name]);
    },
    apply: (_, __, args) => act(path.slice(0, -1), path.at(-1) ?? '', args),
  });
  return proxy as Reached;
}
