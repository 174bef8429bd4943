import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerRequest } from 'srvx';
import type { App } from '../context.ts';
import { AppError } from '../errors.ts';
import { answerFailure } from '../http/failures/failure-response.ts';
import type { RequestInfo } from '../http/requests/request-info.ts';
import { requireOneAuthorization } from '../http/requests/require-readable.ts';
import { isSafeMethod } from '../http/requests/require-same-origin.ts';
import { answerPayments } from './answer-payments.ts';
import type { ConsoleParts } from './console-parts.ts';
import { contextOf } from './request-context.ts';

/** The status that nginx logs when the client closed the request before it was answered. */
const CLIENT_GONE = 499;

/** Where TanStack Start serves server functions. The console has none: it only calls procedures. */
const SERVER_FUNCTION_PATH = /^\/_serverFn(\/|$)/;

/** Answers what is written with fetch's Request and Response: payments, sign-in, REST and pages. Never rejects. */
export async function answerFetch(
  app: App,
  parts: ConsoleParts,
  request: ServerRequest,
  info: RequestInfo,
): Promise<Response> {
  try {
    return await answer(app, parts, request, info);
  } catch (error) {
    // The response is no longer read, and an aborted request is not our failure.
    if (request.signal.aborted) return new Response(null, { status: CLIENT_GONE });
    const { method, headers } = request;
    return answerFailure(app, error, { method, headers, url: new URL(request.url) }, info);
  }
}

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
  const context = await contextOf(app, parts, { method: request.method, headers }, info);
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
