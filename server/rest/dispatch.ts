import type { z } from 'zod';
import type { Actor, App, OrganizationContext, RequestContext } from '../context.ts';
import { AppError } from '../errors.ts';
import { parseJson } from '../http/bodies/parse-json.ts';
import { hasBody, openUpload, readBodyBytes } from '../http/bodies/read-body.ts';
import { logFailure } from '../http/failures/log-failure.ts';
import { logRefusedDeploy } from '../http/failures/log-refused-deploy.ts';
import { toProblemResponse } from '../http/failures/problem.ts';
import { toRateLimitHeaders, windowsOfErrors } from '../http/failures/rate-limit-headers.ts';
import { appearsTwice } from '../http/requests/appears-twice.ts';
import type { RequestInfo } from '../http/requests/request-info.ts';
import { countRequests } from '../limits/principal.ts';
import type { RateLimitWindow } from '../limits/rate-limits.ts';
import { getOrganizationContext } from '../services/organizations/get-organization-context.ts';
import { resolveOrganization } from '../services/organizations/resolve-organization.ts';
import { chooseRoute } from './choose-route.ts';
import { runOnce } from './idempotency.ts';
import { createMatcher, type Match } from './match-route.ts';
import { type PlainResponse, toPlainResponse, toResponse } from './plain-response.ts';
import { resolveNames } from './resolve-names.ts';
import type { Method, Route } from './route.ts';
import { REST_ROUTES } from './routes.ts';
import { withRoomForBody } from './with-room-for-body.ts';

/** Names the organization of a request by cookie or operator token; a credential belongs to one. */
const ORGANIZATION_HEADER = 'portage-organization';

/**
 * Identifies the caller. For a cookie on an unsafe method it also refuses requests that did not come from our
 * own pages.
 * @throws credential_invalid, too_many_requests, cross_site_request
 */
export type ResolveActor = (request: { headers: Headers; method: string; address: string }) => Promise<Actor>;

/** A request on its way to its route: with the rate-limit windows it has been counted in so far. */
interface Counted extends RequestInfo {
  windows: RateLimitWindow[];
}

interface ReceivedRequest {
  request: Request;
  /** Its parsed address. */
  url: URL;
  info: Counted;
}

/** Answers a request below `/api/v1`, or returns null for any other address. */
export type Rest = (request: Request, info: RequestInfo) => Promise<Response | null>;

/** Returns the REST surface over the verbs. `routes` is its routing table. */
export function createRest(
  app: App,
  resolveActor: ResolveActor,
  routes: readonly Route[] = REST_ROUTES,
): Rest {
  const find = createMatcher(routes);
  return async (request, info) => {
    const url = new URL(request.url);
    const match = find(url.pathname);
    if (!match && !/^\/api\/v1(\/|$)/.test(url.pathname)) return null;
    const windows: RateLimitWindow[] = [];
    let response: Response;
    try {
      if (!match) throw new AppError('not_found');
      response = await respond(app, resolveActor, match, { request, url, info: { ...info, windows } });
    } catch (error) {
      const { method } = request;
      const failed = { method, path: url.pathname, address: info.address, requestId: info.requestId };
      const appError = logFailure(app.logger, error, failed);
      await logRefusedDeploy(app, appError, failed);
      windows.push(...windowsOfErrors([appError]));
      const problem = toProblemResponse(appError, app.config.publicUrl, info.requestId);
      if (match && appError.code === 'method_not_allowed') problem.headers.set('allow', allowOf(match));
      response = request.method === 'HEAD' ? new Response(null, problem) : problem;
    }
    for (const [name, value] of Object.entries(toRateLimitHeaders(windows))) {
      response.headers.set(name, value);
    }
    response.headers.set('x-request-id', info.requestId);
    response.headers.set('x-content-type-options', 'nosniff');
    return response;
  };
}

async function respond(
  app: App,
  resolveActor: ResolveActor,
  match: Match,
  { request, url, info }: ReceivedRequest,
): Promise<Response> {
  if (request.method === 'OPTIONS')
    return new Response(null, { status: 204, headers: { allow: allowOf(match) } });
  const candidates = match.methods.get(toMethod(request.method));
  const first = candidates?.[0];
  if (!candidates || !first) throw new AppError('method_not_allowed');

  const context = await identify(app, resolveActor, first, { request, info });
  const route = chooseRoute(candidates, request);
  const params = await resolveNames(context, parseParams(route, match.params));
  const query = route.query?.parse(readQuery(url)) ?? {};
  const response = await withRoomForBody(context, route, request, async () => {
    const { body, sent } = await readBody(route, request);
    return runOnce(context, request, sent, async (claim): Promise<PlainResponse> => {
      const result = await route.run({ context: { ...context, claim }, params, query, body });
      return toPlainResponse(route, result, url);
    });
  });
  return toResponse(response, request);
}

/** Returns the context of a request: who calls, within the limits, and in which organization. */
async function identify(
  app: App,
  resolveActor: ResolveActor,
  route: Route,
  { request, info }: Omit<ReceivedRequest, 'url'>,
): Promise<RequestContext | OrganizationContext> {
  const isPublic = route.audience === 'public';
  const actor: Actor = isPublic
    ? { kind: 'anonymous' }
    : await resolveActor({ headers: request.headers, method: request.method, address: info.address });
  const context: RequestContext = { app, actor, requestId: info.requestId, address: info.address };
  const limit = route.isBulk ? 'api_upload_principal' : 'api_principal';
  info.windows.push(await countRequests(context, limit));
  if (isPublic) return context;
  if (actor.kind === 'anonymous') throw new AppError('unauthenticated');
  if (route.audience === 'person') return context;
  return resolveOrganization(context, await organizationOf(context, request));
}

/**
 * The organization named by the request, otherwise the credential's own, otherwise the stored context.
 * @throws invalid_input for an operator who names none: an operator has no stored context
 */
async function organizationOf(context: RequestContext, request: Request): Promise<string> {
  const named = request.headers.get(ORGANIZATION_HEADER);
  if (named !== null) return named;
  if (context.actor.kind === 'credential') return context.actor.organizationId;
  if (context.actor.kind === 'operator') {
    throw new AppError('invalid_input', {
      reason: 'name the organization in the header Portage-Organization',
    });
  }
  const stored = await getOrganizationContext(context);
  return stored.organization_id;
}

/** An address whose parameters cannot be valid names refers to nothing. @throws not_found */
function parseParams(route: Route, raw: Record<string, string>): z.output<z.ZodObject> {
  if (!route.params) return {};
  const parsed = route.params.safeParse(raw);
  if (!parsed.success) throw new AppError('not_found');
  return parsed.data;
}

/** Returns the query's parameters. @throws invalid_input for one that appears twice: only one would count */
function readQuery({ searchParams }: URL): Record<string, string> {
  const read = new Map<string, string>();
  for (const [name, value] of searchParams) {
    if (read.has(name)) throw appearsTwice(name);
    read.set(name, value);
  }
  return Object.fromEntries(read);
}

/** Returns the body as the route accepts it, and what was sent. */
async function readBody(
  route: Route,
  request: Request,
): Promise<{ body: unknown; sent: Buffer | 'upload' | null }> {
  if (!route.body) return { body: undefined, sent: null };
  if ('upload' in route.body) return { body: openUpload(request), sent: 'upload' };
  const isLeftOut = route.body.isOptional && !hasBody(request);
  const bytes = isLeftOut ? Buffer.from('{}') : await readBodyBytes(request, route.body.bytesMax);
  return { body: route.body.json.parse(parseJson(bytes)), sent: bytes };
}

/** HEAD is GET without the body. @throws method_not_allowed for a method that no route has */
function toMethod(method: string): Method {
  const known: Record<string, Method> = {
    GET: 'GET',
    HEAD: 'GET',
    POST: 'POST',
    PUT: 'PUT',
    PATCH: 'PATCH',
    DELETE: 'DELETE',
  };
  const found = known[method];
  if (!found) throw new AppError('method_not_allowed');
  return found;
}

function allowOf(match: Match): string {
  const methods: string[] = [...match.methods.keys()];
  if (methods.includes('GET')) methods.push('HEAD');
  return [...methods, 'OPTIONS'].join(', ');
}
