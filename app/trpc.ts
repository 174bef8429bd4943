import type { QueryClient } from '@tanstack/react-query';
import { createIsomorphicFn, getGlobalStartContext } from '@tanstack/react-start';
import {
  createTRPCClient,
  createTRPCQueryUtils,
  createTRPCReact,
  httpBatchLink,
  type TRPCLink,
  unstable_localLink,
} from '@trpc/react-query';
import superjson from 'superjson';
import type { AppRouter } from '#server/routers/app-router.ts';
import type { ConsoleRequestContext } from './request-context.ts';

/** Hooks for components: `trpc.sites.list.useSuspenseQuery(…)`. */
export const trpc = createTRPCReact<AppRouter>();

/** Returns the request's context on the server, where each page has one. */
export function serverRequestContext(): ConsoleRequestContext {
  const context = getGlobalStartContext();
  if (!context) throw new Error('There is no request here.');
  return context;
}

const terminatingLink = createIsomorphicFn()
  .server((): TRPCLink<AppRouter> => {
    const { router, context } = serverRequestContext().trpc;
    return unstable_localLink({ router, createContext: async () => context, transformer: superjson });
  })
  .client(
    (): TRPCLink<AppRouter> =>
      httpBatchLink({ url: '/api/trpc', transformer: superjson, maxURLLength: 4000 }),
  );

/** Returns the client of this page: in process on the server, batched HTTP in the browser. */
export function createTrpcClient() {
  return createTRPCClient<AppRouter>({ links: [terminatingLink()] });
}

/** Returns the utilities loaders use: `context.trpc.sites.list.ensureData(…)`. */
export function createTrpcUtils(client: ReturnType<typeof createTrpcClient>, queryClient: QueryClient) {
  return createTRPCQueryUtils<AppRouter>({ client, queryClient });
}
export type TrpcUtils = ReturnType<typeof createTrpcUtils>;
