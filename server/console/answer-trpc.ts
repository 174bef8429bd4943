import type { IncomingMessage, ServerResponse } from 'node:http';
import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import { sendNodeResponse } from 'srvx/node';
import type { App, RequestContext } from '../context.ts';
import { AppError } from '../errors.ts';
import { BODY_BYTES_MAX } from '../http/bodies/body-limits.ts';
import { compressText, toSentText } from '../http/bodies/compress-text.ts';
import { readBody } from '../http/bodies/node-http.ts';
import { parseJson } from '../http/bodies/parse-json.ts';
import { logFailure } from '../http/failures/log-failure.ts';
import { appearsTwice } from '../http/requests/appears-twice.ts';
import { type HeaderReader, headersOf } from '../http/requests/header-reader.ts';
import type { RequestInfo } from '../http/requests/request-info.ts';
import { requireOneAuthorization } from '../http/requests/require-readable.ts';
import { requireJson } from '../http/requests/require-same-origin.ts';
import { countRequests } from '../limits/principal.ts';
import type { RateLimitWindow } from '../limits/rate-limits.ts';
import { appRouter } from '../routers/app-router.ts';
import {
  type CalledProcedures,
  callProcedures,
  type ProcedureRequest,
  type ProcedureResponse,
  refuseProcedures,
} from '../routers/call-procedures.ts';
import { keysOfCalls } from '../routers/run-mutation-once.ts';
import { headersOfLimits, RequestRefusal, statusOfErrors } from '../routers/trpc.ts';

/** The address of the procedures. */
const TRPC_PATH = '/api/trpc';
const CALLS_MAX = 50;

/** What a procedure is called by that is not called by this method: queries by GET, mutations by POST. */
const OTHER_METHODS: Record<string, string> = { GET: 'POST', POST: 'GET' };

/** Identifies the actor. */
type ContextOf = (headers: HeaderReader) => Promise<RequestContext>;

/** A request that was checked before any procedure is called. */
interface Prepared extends ProcedureRequest {
  context: RequestContext;
  /** As received; null without one. */
  body: Buffer | null;
}

/**
 * Answers calls of procedures. Every call in a batch counts against the caller's limit; a request refused
 * before a procedure is called still gets a response that a tRPC client can read.
 */
export async function answerTrpc(
  app: App,
  contextOf: ContextOf,
  request: IncomingMessage,
  response: ServerResponse,
  { address, requestId }: RequestInfo,
): Promise<void> {
  response.setHeader('cache-control', 'no-store');
  response.setHeader('x-request-id', requestId);
  response.setHeader('x-content-type-options', 'nosniff');
  const windows: RateLimitWindow[] = [];
  let called: CalledProcedures = { paths: [''], isBatch: false, windows };
  let answer: ProcedureResponse;
  try {
    const { query, ...found } = readAddress(request.url ?? '');
    called = { ...found, windows };
    const identify = async (headers: HeaderReader) => {
      const context = await contextOf(headers);
      windows.push(await countRequests(context, 'api_principal', found.paths.length));
      return context;
    };
    const prepared = await prepare(identify, request, called, query);
    if (asksForStream(request))
      return await sendNodeResponse(response, await stream(request, response, prepared));
    answer = await callProcedures(prepared.context, prepared);
  } catch (error) {
    const failed = { method: request.method ?? '', path: TRPC_PATH, address, requestId };
    answer = refuseProcedures(new RequestRefusal(logFailure(app.logger, error, failed), requestId), called);
  }
  const { status, headers, text } = answer;
  const sent = toSentText(text);
  const compressed =
    request.method === 'GET'
      ? await compressText(sent, headersOf(request.headers).get('accept-encoding'))
      : null;
  const body = compressed?.bytes ?? sent;
  response.setHeader('vary', 'trpc-accept, accept, accept-encoding');
  if (status === 405) response.setHeader('allow', OTHER_METHODS[request.method ?? ''] ?? 'GET, POST');
  if (compressed) response.setHeader('content-encoding', compressed.encoding);
  response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers }).end(body);
}

/** The actor is identified before the body is read, and determines how much of it is read. */
async function prepare(
  identify: ContextOf,
  request: IncomingMessage,
  called: CalledProcedures,
  query: URLSearchParams,
): Promise<Prepared> {
  requireOneAuthorization(request);
  const { method } = request;
  const headers = headersOf(request.headers);
  if (method === 'GET') {
    const inputs = readInput(query.get('input'));
    readInput(query.get('connectionParams'));
    const context = await identify(headers);
    return { ...called, method, context, inputs, keys: null, body: null };
  }
  if (method !== 'POST') throw new AppError('method_not_allowed');
  requireJson(headers);
  const key = headers.get('idempotency-key');
  const keys = key === null ? null : keysOfCalls(key, called.isBatch, called.paths.length);
  if (keys && asksForStream(request)) {
    throw new AppError('invalid_input', { reason: 'Idempotency-Key: not for a stream of responses' });
  }
  const context = await identify(headers);
  const isKnown = context.actor.kind !== 'anonymous';
  const body = await readBody(request, isKnown ? BODY_BYTES_MAX.trpc : BODY_BYTES_MAX.trpcAnonymous);
  const inputs = body.length > 0 ? parseJson(body) : undefined;
  return { ...called, method, context, inputs, keys, body };
}

/** @throws not_found for a name that cannot be parsed, invalid_input for too many, and for a parameter that appears twice */
function readAddress(url: string): Omit<CalledProcedures, 'windows'> & { query: URLSearchParams } {
  const [pathname = ''] = url.split('?', 1);
  // All that follows the first mark, as URL reads it: what is answered as a stream is read by tRPC.
  const query = new URLSearchParams(url.slice(pathname.length));
  for (const name of ['batch', 'input']) if (query.getAll(name).length > 1) throw appearsTwice(name);
  const isBatch = query.get('batch') === '1';
  let path: string;
  try {
    path = decodeURIComponent(pathname.slice(TRPC_PATH.length)).replace(/^\/|\/$/g, '');
  } catch {
    throw new AppError('not_found');
  }
  const paths = isBatch ? path.split(',') : [path];
  if (paths.length > CALLS_MAX) {
    throw new AppError('invalid_input', { reason: `a batch has at most ${CALLS_MAX} calls` });
  }
  return { paths, isBatch, query };
}

/** The length of inputs in the address is limited by the request's head. @throws invalid_input */
function readInput(text: string | null): unknown {
  return text === null ? undefined : parseJson(Buffer.from(text));
}

/** Whether a client wants the responses of a batch one by one as they are ready (`httpBatchStreamLink`). */
function asksForStream({ headers }: IncomingMessage): boolean {
  return headers['trpc-accept'] !== undefined || (headers.accept ?? '').includes('application/jsonl');
}

/** Returns tRPC's own response, for what {@link callProcedures} does not support. */
function stream(
  { url = '', headers }: IncomingMessage,
  response: ServerResponse,
  { method, body, context, windows }: Prepared,
): Promise<Response> {
  const abort = new AbortController();
  response.once('close', () => abort.abort());
  const sent = new Headers();
  for (const name of ['content-type', 'trpc-accept', 'accept']) {
    const value = headersOf(headers).get(name);
    if (value !== null) sent.set(name, value);
  }
  return fetchRequestHandler({
    endpoint: TRPC_PATH,
    req: new Request(new URL(url, 'http://localhost'), {
      method,
      headers: sent,
      body: body && Uint8Array.from(body),
      signal: abort.signal,
    }),
    router: appRouter,
    createContext: () => context,
    responseMeta: ({ errors }) => ({
      status: statusOfErrors(errors),
      headers: headersOfLimits(errors, windows),
    }),
    maxBatchSize: CALLS_MAX,
  });
}
