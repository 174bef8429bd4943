import type { IncomingMessage } from 'node:http';
import type Provider from 'oidc-provider';
import type { App } from '../context.ts';
import { AppError, retryAfterOf } from '../errors.ts';
import { logFailure } from '../http/failures/log-failure.ts';
import { toRateLimitHeaders } from '../http/failures/rate-limit-headers.ts';
import { addressKey, type RateLimitWindow } from '../limits/rate-limits.ts';
import { getDirectoryOrganization } from '../services/directory/get-directory-organization.ts';
import { getDirectoryPermission } from '../services/directory/get-directory-permission.ts';
import { getDirectoryPerson } from '../services/directory/get-directory-person.ts';
import { listDirectoryOrganizations } from '../services/directory/list-directory-organizations.ts';
import { toHostOrganization, toHostPermissions, toHostUser } from './code-host-shapes.ts';
import { IDENTITY_PATH } from './provider/provider-configuration.ts';
import { type AccessTokenHolder, readAccessToken } from './read-access-token.ts';

/** The path of the API below `/identity`, so that `{PUBLIC_URL}/identity` is the address of a code host. */
export const CODE_HOST_API_PATH = '/api/v1';

const PAGE_SIZE_DEFAULT = 30;
const PAGE_SIZE_MAX = 50;
/** Far beyond the end of every list, and small enough to multiply. */
const PAGE_MAX = 1_000_000_000;

type Scope = 'read:user' | 'read:organization';

interface Question {
  app: App;
  /** The subject of the token's own person, who sees only what that person may see. */
  viewer: string;
  /** The path's variable parts, decoded. */
  names: readonly string[];
  /** The full requested address. */
  url: URL;
}

interface HostRoute {
  /** Below {@link CODE_HOST_API_PATH}. */
  path: RegExp;
  /** All of them are required. */
  scopes: readonly Scope[];
  answer(question: Question): Promise<Response>;
}

const BOTH: readonly Scope[] = ['read:user', 'read:organization'];

/**
 * What a relying party requests from Forgejo or Gitea to learn a person's organizations; no more of their
 * API.
 */
const ROUTES: readonly HostRoute[] = [
  {
    path: /^\/user$/,
    scopes: ['read:user'],
    answer: async ({ app, viewer }) =>
      sendJson(200, toHostUser(app.config.publicUrl, await getDirectoryPerson(app, viewer))),
  },
  { path: /^\/user\/orgs$/, scopes: BOTH, answer: (question) => answerOrganizations(question) },
  {
    path: /^\/users\/([^/]+)\/orgs$/,
    scopes: BOTH,
    answer: (question) => answerOrganizations(question, question.names[0]),
  },
  {
    path: /^\/users\/([^/]+)\/orgs\/([^/]+)\/permissions$/,
    scopes: BOTH,
    async answer({ app, viewer, names: [login = '', handle = ''] }) {
      return sendJson(200, toHostPermissions(await getDirectoryPermission(app, viewer, { login, handle })));
    },
  },
  {
    path: /^\/orgs\/([^/]+)$/,
    scopes: ['read:organization'],
    answer: async ({ app, names: [handle = ''] }) =>
      sendJson(200, toHostOrganization(await getDirectoryOrganization(app, handle))),
  },
];

/**
 * Returns the handler of `/identity/api/v1` in the form of Forgejo's API, for programs with an access token
 * of the provider. It is read-only and ignores cookies.
 */
export function createCodeHostApi(
  app: App,
  provider: Provider,
): (
  path: string,
  request: IncomingMessage,
  info: { requestId: string; address: string },
) => Promise<Response> {
  const { config, rateLimits, logger } = app;

  const authorize = async (
    authorization: string | undefined,
    from: string,
  ): Promise<AccessTokenHolder & { window: RateLimitWindow }> => {
    const address = `identity ${addressKey(from)}`;
    await rateLimits.check('api_principal', address);
    const token = tokenOf(authorization);
    const holder = token === null ? null : await readAccessToken(app, provider, token);
    if (!holder) {
      // Only failures count for the address: another installation makes requests for all of its people from
      // one address.
      await rateLimits.consume('api_principal', address);
      throw new AppError('unauthenticated');
    }
    const window = await rateLimits.consume('api_principal', `identity ${holder.clientId} ${holder.subject}`);
    return { ...holder, window };
  };

  const answer = async (path: string, request: IncomingMessage, address: string): Promise<Response> => {
    if (request.method !== 'GET' && request.method !== 'HEAD') throw new AppError('method_not_allowed');
    const { subject, scopes, window } = await authorize(request.headers.authorization, address);
    const below = path.slice(CODE_HOST_API_PATH.length);
    const route = ROUTES.find((candidate) => candidate.path.test(below));
    if (!route) throw new AppError('not_found');
    const missing = route.scopes.filter((scope) => !scopes.has(scope));
    if (missing.length > 0) return refuse(config.publicUrl, 403, `The token lacks ${missing.join(', ')}.`);
    const names = (route.path.exec(below) ?? []).slice(1).map(decodeName);
    const url = new URL(request.url ?? '', config.publicUrl);
    const response = await route.answer({ app, viewer: subject, names, url });
    for (const [name, value] of Object.entries(toRateLimitHeaders([window])))
      response.headers.set(name, value);
    return response;
  };

  return async (path, request, { requestId, address }) => {
    try {
      return await answer(path, request, address);
    } catch (error) {
      const appError = logFailure(logger, error, {
        method: request.method ?? '',
        path: `${IDENTITY_PATH}${path}`,
        address,
        requestId,
      });
      const response = refuse(config.publicUrl, appError.status, appError.message);
      if (appError.status === 401) response.headers.set('www-authenticate', 'Bearer realm="identity"');
      if (appError.status === 405) response.headers.set('allow', 'GET, HEAD');
      const seconds = retryAfterOf(appError);
      if (seconds !== null) response.headers.set('retry-after', String(seconds));
      return response;
    }
  };
}

/** Returns the token of an Authorization header in the two forms that Forgejo accepts, or null. */
function tokenOf(authorization: string | undefined): string | null {
  return /^(?:bearer|token) +([\w.~+/=-]+) *$/i.exec(authorization ?? '')?.[1] ?? null;
}

/** Returns a part of a path as a name. @throws not_found for one that no person or organization can have */
function decodeName(part: string): string {
  let name: string;
  try {
    name = decodeURIComponent(part);
  } catch {
    throw new AppError('not_found');
  }
  if (!/^[a-z0-9-]{1,100}$/i.test(name)) throw new AppError('not_found');
  return name;
}

async function answerOrganizations({ app, viewer, url }: Question, login?: string): Promise<Response> {
  const page = wholeNumber(url.searchParams.get('page')) ?? 1;
  const limit = Math.min(wholeNumber(url.searchParams.get('limit')) ?? PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX);
  const { items, total } = await listDirectoryOrganizations(app, viewer, {
    page,
    limit,
    ...(login === undefined ? {} : { login }),
  });
  const response = sendJson(200, items.map(toHostOrganization));
  response.headers.set('x-total-count', String(total));
  const links = pageLinks(url, page, Math.ceil(total / limit));
  if (links !== '') response.headers.set('link', links);
  response.headers.set(
    'access-control-expose-headers',
    links === '' ? 'X-Total-Count' : 'Link, X-Total-Count',
  );
  return response;
}

/** Returns a positive safe integer, or null for anything else, as Forgejo parses it. */
function wholeNumber(value: string | null): number | null {
  if (value === null || !/^\d+$/.test(value)) return null;
  const number = Math.min(Number(value), PAGE_MAX);
  return number > 0 ? number : null;
}

/** Returns the Link header: the next and last page unless this is the last, then the first and previous. */
function pageLinks(url: URL, page: number, pages: number): string {
  const link = (rel: string, number: number) => {
    const target = new URL(url);
    target.searchParams.set('page', String(number));
    return `<${target.href}>; rel="${rel}"`;
  };
  return [
    ...(page < pages ? [link('next', page + 1), link('last', pages)] : []),
    ...(page > 1 && pages > 0 ? [link('first', 1), link('prev', Math.min(page - 1, pages))] : []),
  ].join(',');
}

function sendJson(status: number, body: unknown): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json;charset=utf-8', 'cache-control': 'no-store' },
  });
}

/** Every failure in Forgejo's form; `url` is the address of this provider's description. */
function refuse(publicUrl: string, status: number, message: string): Response {
  const url = `${publicUrl}${IDENTITY_PATH}/.well-known/openid-configuration`;
  return sendJson(status, { message, url });
}
