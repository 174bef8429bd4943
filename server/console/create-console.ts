import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { runForAsker } from '#db/asker.ts';
import { FairTurns } from '../connections/fair-turns.ts';
import type { App } from '../context.ts';
import { cutSlowClients } from '../http/connections/cut-slow-clients.ts';
import { lingerAfterResponse } from '../http/connections/linger.ts';
import { clientAddress, requestIdOf } from '../http/requests/client-address.ts';
import { pathnameOf } from '../http/requests/pathname-of.ts';
import { type RequestSurface, surfaceOf } from '../http/requests/request-surface.ts';
import { addressKey } from '../limits/rate-limits.ts';
import { createAnswerRequest } from './answer-request.ts';
import type { ConsoleParts } from './console-parts.ts';
import { observeRequest } from './observe-request.ts';

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

/** Attaches the handlers: pages, tRPC, REST, sign-in, the embedded identity service and health. */
export function answerConsole(server: Server, app: App, parts: ConsoleParts): void {
  const { trustProxy } = app.config;
  const answerRequest = createAnswerRequest(app, parts);
  const turns = new FairTurns(REQUESTS_PER_TURN);
  cutSlowClients(server, (awaited) => parts.metrics.countCut(awaited));

  const waiting = new WeakSet<IncomingMessage>();
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    // A client that asks before sending a body that is too large is refused immediately and sends none.
    waiting.add(request);
    server.emit('request', request, response);
  });
  server.on('request', (request, response) => {
    const info = { address: clientAddress(request, trustProxy), requestId: requestIdOf(request, trustProxy) };
    if (!app.connections.admitRequest(info.address, response)) {
      response.writeHead(429, { 'retry-after': '1', connection: 'close' }).end();
      return;
    }
    lingerAfterResponse(request, response);
    const cost = COST_IN_TURN[surfaceOf(pathnameOf(request))];
    observeRequest(app, parts, request, response, info);
    const client = addressKey(info.address);
    const asked = { request, response, info, awaitsContinue: waiting.has(request) };
    const begin = () => {
      if (response.destroyed) return false;
      void runForAsker(client, () => answerRequest(asked));
      return true;
    };
    const start = () => turns.take(client, begin, cost);
    if (parts.developmentMiddleware) parts.developmentMiddleware(request, response, start);
    else start();
  });
}
