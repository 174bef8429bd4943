import { AppError } from '../errors.ts';
import { readBodyBytes } from '../http/bodies/read-body.ts';
import { endSessionsOfIdentity } from '../services/identity/sessions/end-sessions-of-identity.ts';
import type { AuthRoute, AuthRouteParts } from './auth-route.ts';
import { createLogoutTokenCheck } from './logout-token.ts';
import { responseHeaders } from './redirects.ts';

const NOTICE_BYTES_MAX = 16 * 1024;

/**
 * Returns the route on which the issuer, not a browser, reports that someone signed out there: the signed token is
 * the authority.
 */
export function createBackChannelRoute({ app, client }: AuthRouteParts): AuthRoute {
  const { oidc } = app.config;
  const checkLogoutToken = oidc && createLogoutTokenCheck(oidc.clientId, client.metadata);
  return async (request, _url, info) => {
    if (!checkLogoutToken) throw new AppError('not_found');
    const form = new URLSearchParams((await readBodyBytes(request, NOTICE_BYTES_MAX)).toString('utf8'));
    const notice = await checkLogoutToken(form.get('logout_token') ?? '');
    const actor = { kind: 'job', name: 'back-channel logout' } as const;
    await endSessionsOfIdentity({ app, actor, ...info }, notice);
    return new Response(null, { status: 200, headers: responseHeaders([]) });
  };
}
