import { AuthorizationResponseError, ResponseBodyError } from 'openid-client';
import type { Trx } from '#db/client.ts';
import type { RequestContext } from '../context.ts';
import type { ErrorCode } from '../error-codes.ts';
import { AppError } from '../errors.ts';
import { isOutage } from '../outage.ts';
import { type SignedInUser, signInUser } from '../services/identity/sign-in/sign-in-user.ts';
import type { AuthRoute, AuthRouteParts } from './auth-route.ts';
import { redirect, redirectToError } from './redirects.ts';
import { invitationTokenOf } from './return-path.ts';
import type { SignInFlow } from './sign-in-flow.ts';

/** Why a person known to the issuer is not allowed in here. */
const KEPT_OUT: ReadonlySet<ErrorCode> = new Set([
  'registration_closed',
  'account_blocked',
  'sign_in_unavailable',
]);

/**
 * Returns the route that receives the browser from the issuer, opens a session under a new id and redirects to where
 * the sign-in started.
 */
export function createCallbackRoute({ app, sessions, client, upstream, flows }: AuthRouteParts): AuthRoute {
  const { config, logger } = app;

  /** Returns who signed in and, for an external issuer, which organizations the person belongs to. */
  const askIssuer = async (callbackUrl: URL, flow: SignInFlow) => {
    const exchange = await client.exchange(callbackUrl, flow);
    const { identity, identitySession } = exchange;
    if (!upstream) return { identity, identitySession, upstream: null };
    return { ...(await upstream.atSignIn(exchange)), identitySession };
  };

  return async (request, url, info) => {
    const cookies = request.headers.get('cookie');
    const previous = await sessions.validate(cookies);
    const flow = flows.find(url.searchParams.get('state'), cookies);
    // The back button leads here again: someone who is already signed in just continues.
    if (!flow)
      return previous
        ? redirect(`${config.publicUrl}/`)
        : redirectToError(config.publicUrl, 'sign_in_expired');
    const done = [flows.end(flow.state)];
    let signedIn: Awaited<ReturnType<typeof askIssuer>>;
    try {
      signedIn = await askIssuer(new URL(`${config.publicUrl}${url.pathname}${url.search}`), flow);
    } catch (error) {
      logger.warn({ reason: reasonOf(error), request_id: info.requestId }, 'sign-in refused');
      return redirectToError(config.publicUrl, codeOf(error), done, flow.returnTo);
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
      return redirectToError(config.publicUrl, code, done, flow.returnTo);
    }
    if (operator !== null) {
      const { address, requestId } = info;
      logger.info({ operator, address, request_id: requestId }, 'an operator has signed in');
    }
    return redirect(`${config.publicUrl}${flow.returnTo}`, [...done, cookie]);
  };
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

/** Returns the reason that is logged for a failed callback: names of errors, never codes or tokens. */
function reasonOf(error: unknown): string {
  if (error instanceof ResponseBodyError || error instanceof AuthorizationResponseError) return error.error;
  return error instanceof Error ? `${error.name}: ${error.message}` : 'unknown';
}
