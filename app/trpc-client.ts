import { createIsomorphicFn, getGlobalStartContext } from '@tanstack/react-start';
import { createTRPCUntypedClient, TRPCClientError, unstable_localLink } from '@trpc/client';
import type { AppRouter } from '#server/routers/app-router.ts';
import { CallError } from './call-error.ts';
import { createHttpCalls } from './http-calls.ts';
import type { ConsoleRequestContext } from './request-context.ts';
import type { Calls } from './trpc.ts';
import { transformer } from './wire-values.ts';

/** Returns the request's context on the server, where each page has one. */
export function serverRequestContext(): ConsoleRequestContext {
  const context = getGlobalStartContext();
  if (!context) throw new Error('There is no request here.');
  return context;
}

/** Returns the calls of this page: in process on the server, over HTTP in the browser. */
export const createCalls = createIsomorphicFn()
  .server((): Calls => {
    const { router, context } = serverRequestContext().trpc;
    const links = [unstable_localLink({ router, createContext: async () => context, transformer })];
    const client = createTRPCUntypedClient<AppRouter>({ links });
    return {
      query: (path, input) => client.query(path, input).catch(throwCallError),
      mutation: (path, input) => client.mutation(path, input).catch(throwCallError),
    };
  })
  .client(createHttpCalls);

function throwCallError(error: unknown): never {
  if (!(error instanceof TRPCClientError)) throw error;
  const { data } = error as TRPCClientError<AppRouter>;
  throw new CallError(error.message, { data, isAnswered: true, cause: error });
}
