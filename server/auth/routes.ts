import { AuthorizationResponseError, ResponseBodyError } from 'openid-client';
import type { Trx } from '#db/client.ts';
import type { App, RequestContext } from '../context.ts';
import type { ErrorCode } from '../error-codes.ts';
import { AppError } from '../errors.ts';
import { parseCookies } from '../http/cookies.ts';
import { detectLanguage, LANGUAGE_COOKIE, parseLanguage } from '../http/detect-language.ts';
import { toFailureResponse } from '../http/failure-response.ts';
import { logFailure } from '../http/log-failure.ts';
import { readBodyBytes } from '../http/read-body.ts';
import { requireSameOrigin } from '../http/require-same-origin.ts';
import { newToken } from '../ids.ts';
import { addressKey } from '../limits/rate-limits.ts';
import { isOutage } from '../outage.ts';
import { endSessionsOfIdentity } from '../services/identity/end-sessions-of-identity.ts';
import { revokeSession } from '../services/identity/revoke-session.ts';
import { type SignedInUser, signInUser } from '../services/identity/sign-in-user.ts';
import { createLogoutTokenCheck } from './logout-token.ts';
import type { OidcClient } from './oidc-client.ts';
import { invitationTokenOf, safeReturnPath } from './return-path.ts';
import type { Sessions } from './sessions.ts';
import { createSignInFlows, type SignInFlow } from './sign-in-flow.ts';
import type { Upstream } from './upstream/create-upstream.ts';

export interface AuthRoutesDeps {
  app: App;
  sessions: Sessions;
  client: OidcClient;
  /**
   * What an external issuer knows about people; null when people sign in with this installation's own
   * accounts.
   */
  upstream: Upstream | null;
}

interface RequestInfo {
  address: string;
  requestId: string;
}

export type AuthRoutes = (request: Request, info: RequestInfo) => Promise<Response | null>;

const METHODS: ReadonlyMap<string, string> = new Map([
  ['/auth/login', 'GET'],
  ['/auth/callback', 'GET'],
  ['/auth/logout', 'POST'],
  ['/auth/backchannel-logout', 'POST'],
]);
/** Why a person known to the issuer is not allowed in here. */
const KEPT_OUT: ReadonlySet<ErrorCode> = new Set([
  'registration_closed',
  'account_blocked',
  'sign_in_unavailable',
]);
const NOTICE_BYTES_MAX = 16 * 1024;

/** Returns the handler of addresses below `/auth`; it returns null for every other path. */
export function createAuthRoutes({ app, sessions, client, upstream }: AuthRoutesDeps): AuthRoutes {
  const { config, logger } = app;
  const flows = createSignInFlows(app);
  const checkLogoutToken = config.oidc && createLogoutTokenCheck(config.oidc.clientId, client.metadata);
  const publicHost = new URL(config.publicUrl).host;
  if (!config.publicUrl.startsWith('https:')) {
    logger.warn({ public_url: config.publicUrl }, 'sign-in cookies are not Secure: PUBLIC_URL is plain http');
  }

  /** Sends the browser to the issuer. */
  const login = async (request: Request, url: URL): Promise<Response> => {
    const isElsewhere = request.headers.get('host') !== publicHost && !url.searchParams.has('moved');
    if (isElsewhere) {
      // If requested under another name (127.0.0.1 for localhost), the cookies would not reach the callback.
      // Only once: behind a proxy that changes Host, the name never matches.
      url.searchParams.set('moved', '1');
      return redirect(`${config.publicUrl}/auth/login${url.search}`);
    }
    const cookies = request.headers.get('cookie');
    const asked = parseLanguage(url.searchParams.get('ui_locales') ?? undefined);
    const uiLocales = detectLanguage({
      preference: asked,
      cookie: parseCookies(cookies).get(LANGUAGE_COOKIE),
      acceptLanguage: request.headers.get('accept-language'),
    });
    const flow = {
      state: newToken(),
      nonce: newToken(),
      codeVerifier: newToken(),
      returnTo: safeReturnPath(url.searchParams.get('return_to'), config.publicUrl),
    };
    const isRegistration = url.searchParams.get('register') === '1';
    const loginHint = url.searchParams.get('login_hint')?.slice(0, 254) ?? null;
    try {
      const target = await client.authorizationUrl(flow, { isRegistration, uiLocales, loginHint });
      return redirect(target.href, flows.begin(flow, cookies));
    } catch (error) {
      logger.error({ err: error }, 'the issuer cannot be used');
      return redirectToError('sign_in_unavailable');
    }
  };

  /** Returns who signed in and, for an external issuer, which organizations the person belongs to. */
  const askIssuer = async (callbackUrl: URL, flow: SignInFlow) => {
    const exchange = await client.exchange(callbackUrl, flow);
    const { identity, identitySession } = exchange;
    if (!upstream) return { identity, identitySession, upstream: null };
    return { ...(await upstream.atSignIn(exchange)), identitySession };
  };

  /**
   * Receives the browser from the issuer, opens a session under a new id and redirects to where the sign-in
   * started.
   */
  const callback = async (request: Request, url: URL, info: RequestInfo): Promise<Response> => {
    const cookies = request.headers.get('cookie');
    const previous = await sessions.validate(cookies);
    const flow = flows.find(url.searchParams.get('state'), cookies);
    // The back button leads here again: someone who is already signed in just continues.
    if (!flow) return previous ? redirect(`${config.publicUrl}/`) : redirectToError('sign_in_expired');
    const done = [flows.end(flow.state)];
    let signedIn: Awaited<ReturnType<typeof askIssuer>>;
    try {
      signedIn = await askIssuer(new URL(`${config.publicUrl}${url.pathname}${url.search}`), flow);
    } catch (error) {
      logger.warn({ reason: reasonOf(error), request_id: info.requestId }, 'sign-in refused');
      return redirectToError(codeOf(error), done, flow.returnTo);
    }
    const context: RequestContext = { app, actor: { kind: 'anonymous' }, ...info };
    let operator: { login: string; access: string } | null = null;
    const openSession = async (trx: Trx, { user }: SignedInUser) => {
      operator = user.operator_access && { login: user.login, access: user.operator_access };
      // The new session replaces the browser's earlier one, so that an old cookie is worthless.
      if (previous) await trx.deleteFrom('sessions').where('id', '=', previous.sessionId).execute();
      return sessions.create(trx, {
        userId: user.id,
        organizationId: previous?.userId === user.id ? previous.organizationId : null,
        address: info.address,
        userAgent: request.headers.get('user-agent') ?? '',
        identitySession: signedIn.identitySession,
      });
    };
    let cookie: string;
    try {
      const invitationToken = invitationTokenOf(flow.returnTo);
      const { identity, upstream } = signedIn;
      ({ cookie } = await signInUser(context, identity, openSession, upstream, invitationToken));
    } catch (error) {
      const code = error instanceof AppError ? error.code : null;
      if (code === null || !KEPT_OUT.has(code)) throw error;
      logger.warn({ reason: code, request_id: info.requestId }, 'sign-in refused');
      return redirectToError(code, done, flow.returnTo);
    }
    if (operator !== null) {
      const { address, requestId } = info;
      logger.info({ operator, address, request_id: requestId }, 'an operator has signed in');
    }
    return redirect(`${config.publicUrl}${flow.returnTo}`, [...done, cookie]);
  };

  const logout = async (request: Request, info: RequestInfo): Promise<Response> => {
    // Required for every request: a foreign page must not be able to remove the cookie either.
    requireSameOrigin(request.method, request.headers, config.publicUrl);
    const person = await sessions.validate(request.headers.get('cookie'));
    if (person) {
      const context: RequestContext = { app, actor: person, ...info };
      await revokeSession(context, { session_id: person.sessionId }).catch((error: unknown) => {
        // Another request ended it at the same time: signed out all the same.
        if (!(error instanceof AppError && error.code === 'session_not_found')) throw error;
      });
    }
    return new Response(null, { status: 204, headers: answerHeaders([sessions.blankCookie()]) });
  };

  /** The issuer, not a browser, reports that someone signed out there: the signed token is the authority. */
  const hearLogout = async (request: Request, info: RequestInfo): Promise<Response> => {
    if (!checkLogoutToken) throw new AppError('not_found');
    const form = new URLSearchParams((await readBodyBytes(request, NOTICE_BYTES_MAX)).toString('utf8'));
    const notice = await checkLogoutToken(form.get('logout_token') ?? '');
    const actor = { kind: 'job', name: 'back-channel logout' } as const;
    await endSessionsOfIdentity({ app, actor, ...info }, notice);
    return new Response(null, { status: 200, headers: answerHeaders([]) });
  };

  /** The sign-in page says what happened; the next attempt leads where this one was meant to. */
  const redirectToError = (code: ErrorCode, cookies: string[] = [], returnTo = '/') => {
    const next = returnTo === '/' ? '' : `&return_to=${encodeURIComponent(returnTo)}`;
    return redirect(`${config.publicUrl}/login?error=${code}${next}`, cookies);
  };

  return async (request, info) => {
    const url = new URL(request.url);
    const method = METHODS.get(url.pathname);
    if (method === undefined) return null;
    try {
      if (request.method !== method) throw new AppError('method_not_allowed');
      await app.rateLimits.consume('sign_in_redirect_address', addressKey(info.address));
      switch (url.pathname) {
        case '/auth/login':
          return await login(request, url);
        case '/auth/callback':
          return await callback(request, url, info);
        case '/auth/backchannel-logout':
          return await hearLogout(request, info);
        default:
          return await logout(request, info);
      }
    } catch (error) {
      const failed = {
        method: request.method,
        path: url.pathname,
        address: info.address,
        request_id: info.requestId,
      };
      const appError = logFailure(logger, error, failed);
      const { headers } = request;
      const { requestId } = info;
      const response = toFailureResponse(appError, { method, url, headers, requestId }, config.publicUrl);
      if (appError.code === 'method_not_allowed') response.headers.set('allow', method);
      return response;
    }
  };
}

function answerHeaders(cookies: string[]): Headers {
  const headers = new Headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  for (const cookie of cookies) headers.append('set-cookie', cookie);
  return headers;
}

function redirect(location: string, cookies: string[] = []): Response {
  const headers = answerHeaders(cookies);
  headers.set('location', location);
  return new Response(null, { status: 303, headers });
}

/** Returns the error code that the sign-in page shows for a failed callback. */
function codeOf(error: unknown): ErrorCode {
  if (isOutage(error) || (error instanceof ResponseBodyError && error.status >= 500))
    return 'sign_in_unavailable';
  if (error instanceof ResponseBodyError)
    return error.error === 'invalid_grant' ? 'sign_in_expired' : 'sign_in_refused';
  if (error instanceof AuthorizationResponseError) return 'sign_in_refused';
  const isNetwork =
    error instanceof TypeError || (error instanceof Error && /timed out|timeout/i.test(error.message));
  return isNetwork ? 'sign_in_unavailable' : 'sign_in_refused';
}

/** Returns what is logged about a failed callback: names of errors, never codes or tokens. */
function reasonOf(error: unknown): string {
  if (error instanceof ResponseBodyError || error instanceof AuthorizationResponseError) return error.error;
  return error instanceof Error ? `${error.name}: ${error.message}` : 'unknown';
}
