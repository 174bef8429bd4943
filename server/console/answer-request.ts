import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerRequest } from 'srvx';
import { toNodeHandler } from 'srvx/node';
import type { App } from '../context.ts';
import { answerHealth } from '../health/answer-health.ts';
import { readinessCheckOf } from '../health/check-readiness.ts';
import { writeResponse } from '../http/bodies/node-http.ts';
import { logFailure } from '../http/failures/log-failure.ts';
import { toProblemResponse } from '../http/failures/problem.ts';
import type { HeaderReader } from '../http/requests/header-reader.ts';
import { pathnameOf } from '../http/requests/pathname-of.ts';
import type { RequestInfo } from '../http/requests/request-info.ts';
import { surfaceOf } from '../http/requests/request-surface.ts';
import { requireReadable } from '../http/requests/require-readable.ts';
import { newId } from '../ids.ts';
import { answerFetch } from './answer-fetch.ts';
import { answerTrpc } from './answer-trpc.ts';
import type { ConsoleParts } from './console-parts.ts';
import { contextOf } from './request-context.ts';

/** A request of the console, and where its response goes. */
export interface ConsoleRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly info: RequestInfo;
  /** The client sends its body only after a response of 100 (Continue). */
  readonly awaitsContinue: boolean;
}

/** Returns the function that answers one request, with an error response when that fails. It rejects only if that cannot be written. */
export function createAnswerRequest(app: App, parts: ConsoleParts): (asked: ConsoleRequest) => Promise<void> {
  // Keyed by Node's request, which srvx carries inside its own.
  const infoOf = new WeakMap<object, RequestInfo>();
  const handleFetch = toNodeHandler((request: ServerRequest) => {
    const nodeRequest = request.runtime?.node?.req;
    const info = (nodeRequest && infoOf.get(nodeRequest)) ?? { address: '', requestId: newId() };
    return answerFetch(app, parts, request, info);
  });
  // srvx types its handler for HTTP/1.1 and HTTP/2 together; this listener speaks HTTP/1.1.
  const handleHttp = handleFetch as (request: IncomingMessage, response: ServerResponse) => unknown;
  const checkReadiness = readinessCheckOf(app);

  const answer = async ({ request, response, info, awaitsContinue }: ConsoleRequest): Promise<void> => {
    requireReadable(request);
    if (awaitsContinue) response.writeContinue();
    const pathname = pathnameOf(request);
    if (surfaceOf(pathname) === 'trpc') {
      const { method = '' } = request;
      const identify = (headers: HeaderReader) => contextOf(app, parts, { method, headers }, info);
      return answerTrpc(app, identify, request, response, info);
    }
    if (parts.assets(request, response, pathname)) return;
    const asked = { pathname, address: info.address };
    if (await answerHealth(app, checkReadiness, request, response, asked)) return;
    if (parts.identity && (await parts.identity.handle(request, response))) return;
    infoOf.set(request, info);
    await handleHttp(request, response);
  };
  return (asked) => answer(asked).catch((error: unknown) => refuse(app, asked, error));
}

async function refuse(app: App, { request, response, info }: ConsoleRequest, error: unknown): Promise<void> {
  const failed = { method: request.method ?? '', path: pathnameOf(request), ...info };
  const appError = logFailure(app.logger, error, failed);
  if (response.headersSent) return void response.destroy();
  const problem = toProblemResponse(appError, app.config.publicUrl, info.requestId);
  problem.headers.set('x-request-id', info.requestId);
  await writeResponse(response, problem);
}
