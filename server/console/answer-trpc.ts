import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import { isSafeMethod, requireJson } from '../auth/require-same-origin.ts';
import type { App, RequestContext } from '../context.ts';
import { logFailure } from '../log-failure.ts';
import { countRequests } from '../principal.ts';
import { appRouter } from '../routers/app-router.ts';
import { headersOfErrors, RequestRefusal, statusOfErrors } from '../routers/trpc.ts';
import type { RequestInfo } from './create-console.ts';

/** Where the procedures are called. */
export const TRPC_PATH = '/api/trpc';
const CALLS_MAX = 50;

/**
 * Returns the answer to a call of procedures. A batch counts as its calls against the limit of whoever asks; whatever is
 * refused here still gets an answer that a tRPC client can read.
 */
export async function answerTrpc(
  app: App,
  contextOf: () => Promise<RequestContext>,
  request: Request,
  info: RequestInfo,
): Promise<Response> {
  const response = await fetchRequestHandler({
    endpoint: TRPC_PATH,
    req: request,
    router: appRouter,
    createContext: async ({ info: { calls } }) => {
      try {
        if (!isSafeMethod(request.method)) requireJson(request.headers);
        const context = await contextOf();
        await countRequests(context, 'api_principal', calls.length);
        return context;
      } catch (error) {
        const { method } = request;
        const failed = { method, path: TRPC_PATH, address: info.address, request_id: info.requestId };
        throw new RequestRefusal(logFailure(app.logger, error, failed), info.requestId);
      }
    },
    responseMeta: ({ errors }) => ({ status: statusOfErrors(errors), headers: headersOfErrors(errors) }),
    maxBatchSize: CALLS_MAX,
  });
  response.headers.set('cache-control', 'no-store');
  response.headers.set('x-request-id', info.requestId);
  response.headers.set('x-content-type-options', 'nosniff');
  return response;
}
