import { createIsomorphicFn, getGlobalStartContext } from '@tanstack/react-start';
import {
  createTRPCClient,
  httpBatchLink,
  httpLink,
  splitLink,
  type TRPCLink,
  unstable_localLink,
} from '@trpc/client';
import type { AppRouter } from '#server/routers/app-router.ts';
import { loadErrorWords } from './i18n/error-words.ts';
import type { ConsoleRequestContext } from './request-context.ts';
import { transformer } from './wire-values.ts';

/** Returns the request's context on the server, where each page has one. */
export function serverRequestContext(): ConsoleRequestContext {
  const context = getGlobalStartContext();
  if (!context) throw new Error('There is no request here.');
  return context;
}

const LONG_INPUT = 600;

const terminatingLink = createIsomorphicFn()
  .server((): TRPCLink<AppRouter> => {
    const { router, context } = serverRequestContext().trpc;
    return unstable_localLink({ router, createContext: async () => context, transformer });
  })
  .client(
    (): TRPCLink<AppRouter> =>
      splitLink({
        // A batch of it and others would have no address; alone it is bounded by what the server takes.
        condition: ({ type, input }) => type === 'query' && isLong(input),
        true: httpLink({ url: '/api/trpc', transformer, fetch: fetchAnswer }),
        false: httpBatchLink({ url: '/api/trpc', transformer, fetch: fetchAnswer, maxURLLength: 4000 }),
      }),
  );

/** Whether an input can take more of an address than a batch may be long: keys of objects, each of whose characters may be written as six. */
function isLong(input: unknown): boolean {
  return (JSON.stringify(input) ?? '').length > LONG_INPUT;
}

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
