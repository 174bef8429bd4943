import type { IncomingMessage, ServerResponse } from 'node:http';
import { createSessions } from '../../auth/sessions.ts';
import type { App, RequestContext } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { readJsonBody } from '../../http/bodies/node-http.ts';
import { toRateLimitHeaders } from '../../http/failures/rate-limit-headers.ts';
import { headersOf } from '../../http/requests/header-reader.ts';
import { methodNotAllowed } from '../../http/requests/method-not-allowed.ts';
import { requireJson, requireSameOrigin } from '../../http/requests/require-same-origin.ts';
import { countRequests } from '../../limits/principal.ts';
import { presentAsPublic } from '../present-as-public.ts';
import type { JsonEndpoint } from './json-endpoint.ts';

/**
 * Answers a JSON request of the console's pages.
 * @throws not_found for anything else, and what the verbs throw
 */
export type AnswerJson = (
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
  sender: { requestId: string; address: string },
) => Promise<Response>;

/**
 * Creates the handler of JSON requests to a list of addresses, each with the person of its session.
 * @param isPage whether an address is also that of a page, which somebody else answers
 */
export function createJsonResponses(
  app: App,
  endpoints: readonly JsonEndpoint[],
  isPage: (path: string) => boolean,
): AnswerJson {
  const { publicUrl } = app.config;
  const sessions = createSessions(app);
  return async (path, request, response, { requestId, address }) => {
    const endpoint = endpoints.find((candidate) => candidate.path.test(path));
    const pageMethods = isPage(path) ? ['GET', 'HEAD'] : [];
    const { method = 'GET', headers } = request;
    if (!endpoint)
      throw pageMethods.length > 0 ? methodNotAllowed(...pageMethods) : new AppError('not_found');
    if (method !== endpoint.method) throw methodNotAllowed(...pageMethods, endpoint.method);
    if (method !== 'GET') {
      requireSameOrigin(method, headersOf(headers), publicUrl);
      requireJson(headersOf(headers));
    }
    const person = await sessions.validate(headers.cookie ?? null);
    const context: RequestContext = { app, actor: person ?? { kind: 'anonymous' }, requestId, address };
    const window = await countRequests(context, 'api_principal');
    const body = method === 'GET' ? undefined : await readJsonBody(request);
    const [, uid = ''] = endpoint.path.exec(path) ?? [];
    presentAsPublic(request, publicUrl);
    const answer = await endpoint.answer({ context, request, response, uid, body });
    return Response.json(answer, { headers: toRateLimitHeaders([window]) });
  };
}
