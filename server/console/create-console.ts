import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { ServerRequest } from 'srvx';
import { toNodeHandler } from 'srvx/node';
import { isSafeMethod } from '../auth/require-same-origin.ts';
import type { Actor, App, RequestContext } from '../context.ts';
import { AppError } from '../errors.ts';
import { newId } from '../ids.ts';
import { logFailure } from '../log-failure.ts';
import { toProblemResponse } from '../rest/problem.ts';
import { answerTrpc, TRPC_PATH } from './answer-trpc.ts';
import type { AssetHandler } from './assets.ts';
import { clientAddress, requestIdOf } from './client-address.ts';
import { checkReadiness } from './health.ts';
import { type Metrics, mayReadMetrics } from './metrics.ts';
import type { RenderPage } from './page-renderer.ts';

/** Who sent a request, decided once when it arrives. */
export interface RequestInfo {
  address: string;
  requestId: string;
}

type FetchRoute = (request: Request, info: RequestInfo) => Promise<Response | null>;

export interface ConsoleParts {
  resolveActor(request: { headers: Headers; method: string; address: string }): Promise<Actor>;
  authRoutes: FetchRoute;
  rest: FetchRoute;
  /** The embedded identity service; absent when another issuer is configured. */
  identity: { handle(request: IncomingMessage, response: ServerResponse): Promise<boolean> } | null;
  assets: AssetHandler;
  renderPage: RenderPage;
  metrics: Metrics;
  /** Vite's middleware in development, asked before everything else. */
  developmentMiddleware?: (request: IncomingMessage, response: ServerResponse, next: () => void) => void;
}

/** Slow or silent clients are cut: 15 s for the headers; bodies are bounded by their own limits. */
const HEADERS_TIMEOUT_MS = 15_000;
const MAX_HEADER_BYTES = 16 * 1024;

/** Returns the console's listener with its bounds; it answers once {@link answerConsole} is attached. */
export function createConsoleServer(): Server {
  return createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: 0,
  });
}

/** Makes the listener answer: pages, tRPC, REST, sign-in, the embedded identity service and health. */
export function answerConsole(server: Server, app: App, parts: ConsoleParts): void {
  // Keyed by the request of Node, which srvx carries inside its own.
  const infoOf = new WeakMap<object, RequestInfo>();
  const handleFetch = toNodeHandler(async (request: ServerRequest) => {
    const nodeRequest = request.runtime?.node?.req;
    const info = (nodeRequest && infoOf.get(nodeRequest)) ?? { address: '', requestId: newId() };
    try {
      return await answer(app, parts, request, info);
    } catch (error) {
      const { method, url } = request;
      const failed = {
        method,
        path: new URL(url).pathname,
        address: info.address,
        request_id: info.requestId,
      };
      return toProblemResponse(logFailure(app.logger, error, failed), app.config.publicUrl, info.requestId);
    }
  });

  // srvx types its handler for HTTP/1.1 and HTTP/2 at once; this listener speaks HTTP/1.1.
  const handleHttp = handleFetch as (request: IncomingMessage, response: ServerResponse) => unknown;
  server.on('request', (request, response) => {
    const pathname = (request.url ?? '/').split('?', 1)[0] ?? '/';
    const info = {
      address: clientAddress(request, app.config.trustProxy),
      requestId: requestIdOf(request, app.config.trustProxy),
    };
    infoOf.set(request, info);
    if (!app.connections.admitRequest(info.address, response)) {
      response.writeHead(429, { 'retry-after': '1', connection: 'close' }).end();
      return;
    }
    observe(app, parts.metrics, request, response, pathname, info);
    if (parts.assets(request, response, pathname)) return;
    const handle = async () => {
      if (await answerHealth(app, parts, request, response, pathname, info)) return;
      if (parts.identity && (await parts.identity.handle(request, response))) return;
      await handleHttp(request, response);
    };
    const start = () =>
      void handle().catch((error: unknown) => {
        app.logger.error({ err: error, path: pathname, request_id: info.requestId }, 'request failed');
        if (!response.headersSent) response.writeHead(500);
        response.end();
      });
    if (parts.developmentMiddleware) parts.developmentMiddleware(request, response, start);
    else start();
  });
}

async function answer(
  app: App,
  parts: ConsoleParts,
  request: ServerRequest,
  info: RequestInfo,
): Promise<Response> {
  const { pathname } = new URL(request.url);
  requireOneAuthorization(request);
  if (pathname.startsWith(`${TRPC_PATH}/`)) {
    return answerTrpc(app, () => contextOf(app, parts, request, info), request, info);
  }
  const early = (await parts.authRoutes(request, info)) ?? (await parts.rest(request, info));
  if (early) return early;
  if (!isSafeMethod(request.method))
    return new Response(null, { status: 405, headers: { allow: 'GET, HEAD' } });
  // A page answers for the person of the cookie; a broken Authorization header is not a reason to hide it.
  return parts.renderPage(request, await contextOf(app, parts, request, info));
}

/** Node keeps the first of two; a proxy in front may have looked at the other. @throws invalid_input */
function requireOneAuthorization(request: ServerRequest): void {
  const node = request.runtime?.node?.req;
  if (node?.headers.authorization === undefined) return;
  const names = node.rawHeaders.filter((_, index) => index % 2 === 0);
  const count = names.filter((name) => name.toLowerCase() === 'authorization').length;
  if (count > 1) throw new AppError('invalid_input', { reason: 'send one Authorization header' });
}

async function contextOf(
  app: App,
  parts: ConsoleParts,
  request: Request,
  info: RequestInfo,
): Promise<RequestContext> {
  const actor = await parts.resolveActor({
    headers: request.headers,
    method: request.method,
    address: info.address,
  });
  return { app, actor, requestId: info.requestId, address: info.address };
}

/** `/healthz` says that the process runs, `/readyz` that its dependencies answer, `/metrics` has its figures. */
async function answerHealth(
  app: App,
  parts: ConsoleParts,
  request: IncomingMessage,
  response: ServerResponse,
  pathname: string,
  info: RequestInfo,
): Promise<boolean> {
  const sendJson = (status: number, body: unknown) =>
    response
      .writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
      .end(JSON.stringify(body));
  switch (pathname) {
    case '/healthz':
      sendJson(200, { status: 'ok' });
      return true;
    case '/readyz': {
      const { isReady, checks } = await checkReadiness(app);
      sendJson(isReady ? 200 : 503, { status: isReady ? 'ok' : 'failed', checks });
      return true;
    }
    case '/metrics':
      if (!mayReadMetrics(app.config.metricsToken, request.headers.authorization, info.address)) {
        sendJson(403, { status: 'forbidden' });
        return true;
      }
      response.writeHead(200, { 'content-type': parts.metrics.registry.contentType });
      response.end(await parts.metrics.registry.metrics());
      return true;
    default:
      return false;
  }
}

function observe(
  app: App,
  metrics: Metrics,
  request: IncomingMessage,
  response: ServerResponse,
  pathname: string,
  info: RequestInfo,
): void {
  const startedAt = performance.now();
  response.once('close', () => {
    const seconds = (performance.now() - startedAt) / 1000;
    metrics.observeRequest(kindOf(pathname), response.statusCode, seconds);
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

function kindOf(pathname: string): string {
  if (pathname.startsWith('/api/trpc')) return 'trpc';
  if (pathname.startsWith('/api/v1')) return 'rest';
  if (pathname.startsWith('/auth') || pathname.startsWith('/identity')) return 'identity';
  if (pathname.startsWith('/assets')) return 'asset';
  return 'page';
}
