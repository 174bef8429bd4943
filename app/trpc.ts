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
import type { AppRouter } from '#server/routers/app-router.ts';
import { loadErrorWords } from './i18n/error-words.ts';
import type { ConsoleRequestContext } from './request-context.ts';
import { transformer } from './wire-values.ts';

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
    return unstable_localLink({ router, createContext: async () => context, transformer });
  })
  .client(
    (): TRPCLink<AppRouter> =>
      httpBatchLink({ url: '/api/trpc', transformer, maxURLLength: 4000, fetch: fetchAnswer }),
  );

/** An answer with errors waits for their words. */
async function fetchAnswer(...request: Parameters<typeof fetch>): Promise<Response> {
  const answer = await fetch(...request);
  if (answer.status !== 200) await loadErrorWords();
  return answer;
}

/** Returns the client of this page: in process on the server, batched HTTP in the browser. */
export function createTrpcClient() {
  return createTRPCClient<AppRouter>({ links: [terminatingLink()] });
}

/** Returns the utilities loaders use: `context.trpc.sites.list.ensureData(…)`. */
export function createTrpcUtils(client: ReturnType<typeof createTrpcClient>, queryClient: QueryClient) {
  return createTRPCQueryUtils<AppRouter>({ client, queryClient });
}
export type TrpcUtils = ReturnType<typeof createTrpcUtils>;
