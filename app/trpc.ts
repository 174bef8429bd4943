import {
  type QueryClient,
  type QueryKey,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useSuspenseQuery,
} from '@tanstack/react-query';
import { getUntypedClient, type TRPCClient } from '@trpc/client';
import type { createTRPCQueryUtils, createTRPCReact } from '@trpc/react-query';
import { createContext, useContext } from 'react';
import type { AppRouter } from '#server/routers/app-router.ts';

/*
 * The part of @trpc/react-query that the console uses, with the library's types and its query keys. The library itself would be 5 KB
 * of every first page: it has subscriptions, lists of queries and prefetching while rendering too, and is compiled for old browsers.
 */

type Client = TRPCClient<AppRouter>;

/** What loaders use, and what follows a change: `utils.sites.list.invalidate()`. */
export type TrpcUtils = Only<ReturnType<typeof createTRPCQueryUtils<AppRouter>>, keyof typeof UTILITIES> & {
  /** Asks without keeping the answer. */
  client: Client;
};

type Hooks = Only<ReturnType<typeof createTRPCReact<AppRouter>>, keyof typeof HOOKS> & {
  useUtils: () => TrpcUtils;
};

/** What is reached by names, without the functions that do not stand here. */
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
  useQuery: (path: string[], input: unknown, options?: Options) =>
    useQuery({ ...options, ...queryOf(useUtils().client, path, input) }),

  useSuspenseQuery(path: string[], input: unknown, options?: Options) {
    const query = useSuspenseQuery({ ...options, ...queryOf(useUtils().client, path, input) });
    return [query.data, query];
  },

  useInfiniteQuery: (path: string[], input: unknown, options?: Options) =>
    // The type wants getNextPageParam, which the library's own type has required.
    useInfiniteQuery({ ...(options as PageOptions), ...pagesOf(useUtils().client, path, input) }),

  useMutation(path: string[], options?: Options) {
    const { client } = useUtils();
    const mutationFn = (input: unknown) => getUntypedClient(client).mutation(path.join('.'), input);
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

type Utility = (queries: QueryClient, client: Client, path: string[], ...args: never[]) => unknown;

const UTILITIES = {
  fetch: (queries, client, path, input, options?: Options) =>
    queries.fetchQuery({ ...options, ...queryOf(client, path, input) }),
  prefetch: (queries, client, path, input, options?: Options) =>
    queries.prefetchQuery({ ...options, ...queryOf(client, path, input) }),
  ensureData: (queries, client, path, input, options?: Options) =>
    queries.ensureQueryData({ ...options, ...queryOf(client, path, input) }),
  prefetchInfinite: (queries, client, path, input, options?: Options) =>
    queries.prefetchInfiniteQuery({ ...options, ...pagesOf(client, path, input) }),
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
export function createTrpcUtils(client: Client, queries: QueryClient): TrpcUtils {
  return reach<TrpcUtils>({ client }, (path, utility, args) =>
    // Safe, as above.
    (UTILITIES[utility as keyof typeof UTILITIES] as Call)(queries, client, path, ...args),
  );
}

function queryOf(client: Client, path: string[], input: unknown) {
  const queryFn = () => getUntypedClient(client).query(path.join('.'), input);
  return { queryKey: keyOf(path, input, 'query'), queryFn };
}

/** A list that is read page by page. */
function pagesOf(client: Client, path: string[], input: unknown) {
  const readPage = ({ pageParam }: { pageParam: unknown }) =>
    getUntypedClient(client).query(path.join('.'), { ...(input as object), cursor: pageParam ?? undefined });
  return { queryKey: keyOf(path, input, 'infinite'), queryFn: readPage, initialPageParam: null };
}

/** Returns the key of what a procedure answers; without an input, also the beginning of all its keys, or of a router's. */
function keyOf(path: string[], input: unknown, type?: 'query' | 'infinite'): QueryKey {
  if (path.length === 0) return [];
  if (input === undefined && !type) return [path];
  return [path, { ...(input === undefined ? {} : { input }), ...(type && { type }) }];
}

/**
 * Returns what gives access to functions by the names of a path: of `result.sites.list.fetch(1)`, `act` gets the path
 * `['sites', 'list']`, the name `fetch` and the arguments `[1]`. Names of `known` are found there.
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
