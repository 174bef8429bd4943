import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { ServerRequest } from 'srvx';
import { toNodeHandler } from 'srvx/node';
import { runForAsker } from '#db/asker.ts';
import { FairTurns } from '../connections/fair-turns.ts';
import type { Actor, App, RequestContext } from '../context.ts';
import { AppError } from '../errors.ts';
import { answerHealth } from '../health/answer-health.ts';
import { readinessCheckOf } from '../health/check-readiness.ts';
import { writeResponse } from '../http/bodies/node-http.ts';
import { cutSlowClients } from '../http/connections/cut-slow-clients.ts';
import { lingerAfterResponse } from '../http/connections/linger.ts';
import { answerFailure } from '../http/failures/failure-response.ts';
import { logFailure } from '../http/failures/log-failure.ts';
import { toProblemResponse } from '../http/failures/problem.ts';
import { clientAddress, requestIdOf } from '../http/requests/client-address.ts';
import type { HeaderReader } from '../http/requests/header-reader.ts';
import type { RequestInfo } from '../http/requests/request-info.ts';
import { type RequestSurface, surfaceOf } from '../http/requests/request-surface.ts';
import { requireOneAuthorization, requireReadable } from '../http/requests/require-readable.ts';
import { isSafeMethod } from '../http/requests/require-same-origin.ts';
import type { IdentityService } from '../identity/create-identity-service.ts';
import { newId } from '../ids.ts';
import { addressKey } from '../limits/rate-limits.ts';
import { type AccessLog, requestLine } from '../logging/access-log.ts';
import type { ConsoleMetrics } from '../metrics/console-metrics.ts';
import { answerPayments } from './answer-payments.ts';
import { answerTrpc } from './answer-trpc.ts';
import type { AssetHandler } from './assets.ts';
import type { RenderPage } from './page-renderer.ts';

type FetchRoute = (request: Request, info: RequestInfo) => Promise<Response | null>;

export interface ConsoleParts {
  resolveActor(request: { headers: HeaderReader; method: string; address: string }): Promise<Actor>;
  authRoutes: FetchRoute;
  rest: FetchRoute;
  /** The embedded identity service; absent when another issuer is configured. */
  identity: Pick<IdentityService, 'handle' | 'describeInteraction'> | null;
  assets: AssetHandler;
  renderPage: RenderPage;
  metrics: ConsoleMetrics;
  /** Null when requests of the console are not logged. */
  accessLog: AccessLog | null;
  /** Vite's middleware in development, tried before everything else. */
  developmentMiddleware?: (request: IncomingMessage, response: ServerResponse, next: () => void) => void;
}

/** A connection must have sent a complete head by then; {@link cutSlowClients} limits what follows. */
const HEADERS_TIMEOUT_MS = 15_000;
const HEADERS_CHECK_MS = 5_000;
/**
 * Longer than usual proxies keep their connections to us (60 s), so that they close them first: a request
 * that crosses our own close on its way is lost. How many connections may be idle is limited together with
 * all others.
 */
const KEEP_ALIVE_MS = 65_000;
const MAX_HEADER_BYTES = 16 * 1024;
/**
 * A page blocks the loop for some 20 ms: of those that arrive at the same time, only one begins per turn.
 * Several requests that take a fraction of that may begin in one turn, because a turn each would almost
 * double their cost.
 */
const REQUESTS_PER_TURN = 8;
const COST_IN_TURN: Record<RequestSurface, number> = {
  page: REQUESTS_PER_TURN,
  identity: REQUESTS_PER_TURN,
  rest: 1,
  trpc: 1,
  asset: 1,
  sandbox: 1,
  webhook: 1,
};

/** Returns the console's listener with its limits; it answers once {@link answerConsole} is attached. */
export function createConsoleServer(): Server {
  return createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    connectionsCheckingInterval: HEADERS_CHECK_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: 0,
  });
}

/** The status that nginx logs when the client closed the request before it was answered. */
const CLIENT_GONE = 499;

/** Attaches the handlers: pages, tRPC, REST, sign-in, the embedded identity service and health. */
export function answerConsole(server: Server, app: App, parts: ConsoleParts): void {
  // Keyed by Node's request, which srvx carries inside its own.
  const infoOf = new WeakMap<object, RequestInfo>();
  const handleFetch = toNodeHandler(async (request: ServerRequest) => {
    const nodeRequest = request.runtime?.node?.req;
    const info = (nodeRequest && infoOf.get(nodeRequest)) ?? { address: '', requestId: newId() };
    try {
      return await answer(app, parts, request, info);
    } catch (error) {
      // The response is no longer read, and an aborted request is not our failure.
      if (request.signal.aborted) return new Response(null, { status: CLIENT_GONE });
      return toFailure(app, error, request, info);
    }
  });
  const checkReadiness = readinessCheckOf(app);
  const turns = new FairTurns(REQUESTS_PER_TURN);
  cutSlowClients(server, (awaited) => parts.metrics.countCut(awaited));

  // srvx types its handler for HTTP/1.1 and HTTP/2 together; this listener speaks HTTP/1.1.
  const handleHttp = handleFetch as (request: IncomingMessage, response: ServerResponse) => unknown;
  const waiting = new WeakSet<IncomingMessage>();
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    // A client that asks before sending a body that is too large is refused immediately and sends none.
    waiting.add(request);
    server.emit('request', request, response);
  });
  server.on('request', (request, response) => {
    const info = {
      address: clientAddress(request, app.config.trustProxy),
      requestId: requestIdOf(request, app.config.trustProxy),
    };
    infoOf.set(request, info);
    if (!app.connections.admitRequest(info.address, response)) {
      response.writeHead(429, { 'retry-after': '1', connection: 'close' }).end();
      return;
    }
    lingerAfterResponse(request, response);
    const refuse = async (error: unknown) => {
      const pathname = pathnameOf(request);
      const failed = { method: request.method ?? '', path: pathname, ...info };
      const appError = logFailure(app.logger, error, failed);
      if (response.headersSent) return void response.destroy();
      const problem = toProblemResponse(appError, app.config.publicUrl, info.requestId);
      problem.headers.set('x-request-id', info.requestId);
      await writeResponse(response, problem);
    };
    const handle = async () => {
      requireReadable(request);
      if (waiting.has(request)) response.writeContinue();
      const pathname = pathnameOf(request);
      if (surfaceOf(pathname) === 'trpc') {
        const identify = (headers: HeaderReader) =>
          contextOf(app, parts, request.method ?? '', headers, info);
        return answerTrpc(app, identify, request, response, info);
      }
      if (parts.assets(request, response, pathname)) return;
      const asked = { pathname, address: info.address };
      if (await answerHealth(app, checkReadiness, request, response, asked)) return;
      if (parts.identity && (await parts.identity.handle(request, response))) return;
      await handleHttp(request, response);
    };
    const cost = COST_IN_TURN[surfaceOf(pathnameOf(request))];
    observe(app, parts, request, response, info);
    const client = addressKey(info.address);
    const begin = () => {
      if (response.destroyed) return false;
      void runForAsker(client, handle).catch(refuse);
      return true;
    };
    const start = () => turns.take(client, begin, cost);
    if (parts.developmentMiddleware) parts.developmentMiddleware(request, response, start);
    else start();
  });
}

function pathnameOf({ url = '/' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '/';
}

function toFailure(app: App, error: unknown, request: Request, info: RequestInfo): Response {
  const { method, headers } = request;
  return answerFailure(app, error, { method, headers, url: new URL(request.url) }, info);
}

/** Where TanStack Start serves server functions. The console has none: it only calls procedures. */
const SERVER_FUNCTION_PATH = /^\/_serverFn(\/|$)/;

async function answer(
  app: App,
  parts: ConsoleParts,
  request: ServerRequest,
  info: RequestInfo,
): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (request.runtime?.node?.req) requireOneAuthorization(request.runtime.node.req);
  const payments = await answerPayments(app, request, info);
  if (payments) return payments;
  const early = (await parts.authRoutes(request, info)) ?? (await parts.rest(request, info));
  if (early) return early;
  if (SERVER_FUNCTION_PATH.test(pathname)) throw new AppError('not_found');
  if (!isSafeMethod(request.method))
    return new Response(null, { status: 405, headers: { allow: 'GET, HEAD' } });
  // A page answers for the person of the cookie, whatever Authorization header a browser or proxy adds.
  const headers = new Headers(request.headers);
  headers.delete('authorization');
  const context = await contextOf(app, parts, request.method, headers, info);
  return parts.renderPage(request, context, (uid) => readInteraction(parts, request, uid));
}

/**
 * Returns the interaction that a sign-in page shows; null when it has expired, or another browser started it.
 */
async function readInteraction({ identity }: ConsoleParts, { runtime }: ServerRequest, uid: string) {
  const { req, res } = runtime?.node ?? {};
  if (!identity || !req || !res) return null;
  try {
    // srvx types both for HTTP/1.1 and HTTP/2 together; this listener speaks HTTP/1.1.
    return await identity.describeInteraction(req as IncomingMessage, res as ServerResponse, uid);
  } catch (error) {
    if (error instanceof AppError && error.code === 'sign_in_expired') return null;
    throw error;
  }
}

async function contextOf(
  app: App,
  parts: ConsoleParts,
  method: string,
  headers: HeaderReader,
  { address, requestId }: RequestInfo,
): Promise<RequestContext> {
  const actor = await parts.resolveActor({ headers, method, address });
  return { app, actor, requestId, address };
}

function observe(
  app: App,
  { metrics, accessLog }: Pick<ConsoleParts, 'metrics' | 'accessLog'>,
  request: IncomingMessage,
  response: ServerResponse,
  info: RequestInfo,
): void {
  const startedAt = performance.now();
  const pathname = pathnameOf(request);
  const line = requestLine(request);
  const { socket } = request;
  const writtenBefore = socket.bytesWritten;
  response.once('close', () => {
    const ms = performance.now() - startedAt;
    const seconds = ms / 1000;
    accessLog?.write({
      ...{ ...line, address: info.address, requestId: info.requestId, ms },
      status: response.statusCode,
      bytes: Math.max(0, socket.bytesWritten - writtenBefore),
    });
    metrics.observeRequest(surfaceOf(pathname), response.statusCode, seconds);
    app.logger.debug(
      {
        method: request.method,
        path: pathname,
        status: response.statusCode,
        seconds,
        request_id: info.requestId,
      },
      'request',
    );
  });
}
