import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import { isSafeMethod, requireJson } from '../auth/require-same-origin.ts';
import type { App, RequestContext } from '../context.ts';
import { AppError } from '../errors.ts';
import { logFailure } from '../log-failure.ts';
import { parseJson } from '../parse-json.ts';
import { countRequests } from '../principal.ts';
import { readBodyBytes } from '../rest/read-body.ts';
import { appRouter } from '../routers/app-router.ts';
import { headersOfErrors, RequestRefusal, statusOfErrors } from '../routers/trpc.ts';
import type { RequestInfo } from './create-console.ts';
import { BODY_BYTES_MAX } from './request-doors.ts';

/** Where the procedures are called. */
const TRPC_PATH = '/api/trpc';
const CALLS_MAX = 50;
/** Stands in the place of what was called by a request that is refused. */
const KNOWN_QUERY = 'user.me';

/** A request that was looked at before tRPC sees it: who asks, or why nobody is answered. */
interface Prepared {
  request: Request;
  context: RequestContext | RequestRefusal;
}

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
  const prepared = await prepare(app, contextOf, request, info);
  const response = await fetchRequestHandler({
    endpoint: TRPC_PATH,
    req: prepared.request,
    router: appRouter,
    createContext: () => {
      if (prepared.context instanceof RequestRefusal) throw prepared.context;
      return prepared.context;
    },
    responseMeta: ({ errors }) => ({ status: statusOfErrors(errors), headers: headersOfErrors(errors) }),
    maxBatchSize: CALLS_MAX,
  });
  response.headers.set('cache-control', 'no-store');
  response.headers.set('x-request-id', info.requestId);
  response.headers.set('x-content-type-options', 'nosniff');
  return response;
}

/** tRPC would read a body of any size, before it asks who is there. Here who asks comes first, and says how much is read. */
async function prepare(
  app: App,
  contextOf: () => Promise<RequestContext>,
  request: Request,
  info: RequestInfo,
): Promise<Prepared> {
  const { method, headers } = request;
  const url = new URL(request.url);
  const { signal } = request;
  let calls = 1;
  try {
    calls = countCalls(url);
    requireReadableInput(url.searchParams.get('input'));
    requireReadableInput(url.searchParams.get('connectionParams'));
    if (isSafeMethod(method)) {
      const context = await contextOf();
      await countRequests(context, 'api_principal', calls);
      return { request: new Request(url, { method, headers, signal }), context };
    }
    requireJson(headers);
    const context = await contextOf();
    await countRequests(context, 'api_principal', calls);
    const isKnown = context.actor.kind !== 'anonymous';
    const body = await readBodyBytes(request, isKnown ? BODY_BYTES_MAX.trpc : BODY_BYTES_MAX.trpcAnonymous);
    if (body.length > 0) parseJson(body);
    return { request: new Request(url, { method, headers, signal, body: Uint8Array.from(body) }), context };
  } catch (error) {
    const failed = { method, path: TRPC_PATH, address: info.address, request_id: info.requestId };
    const refusal = new RequestRefusal(logFailure(app.logger, error, failed), info.requestId);
    // Without what tRPC may not be able to read. It asks for the context only where a procedure is known, and how many are
    // called decides the form of the answer.
    const path = Array(Math.min(calls, CALLS_MAX)).fill(KNOWN_QUERY).join(',');
    const plain = new URL(`${TRPC_PATH}/${path}`, url);
    if (url.searchParams.get('batch') === '1') plain.searchParams.set('batch', '1');
    return {
      request: new Request(plain, { headers: { accept: headers.get('accept') ?? '*/*' } }),
      context: refusal,
    };
  }
}

/** Returns how many procedures an address calls. @throws not_found for one that cannot be read */
function countCalls({ pathname, searchParams }: URL): number {
  let path: string;
  try {
    path = decodeURIComponent(pathname);
  } catch {
    throw new AppError('not_found');
  }
  return searchParams.get('batch') === '1' ? path.split(',').length : 1;
}

/** Inputs in the address are as long as a head may be. @throws invalid_input */
function requireReadableInput(text: string | null): void {
  if (text !== null) parseJson(Buffer.from(text));
}
