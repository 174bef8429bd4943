import type { RequestContext } from '../context.ts';
import { AppError } from '../errors.ts';
import { requireSameOrigin } from '../http/requests/require-same-origin.ts';
import { revokeSession } from '../services/identity/sessions/revoke-session.ts';
import type { AuthRoute, AuthRouteParts } from './auth-route.ts';
import { responseHeaders } from './redirects.ts';

/** Returns the route that ends the session of the cookie. */
export function createSignOutRoute({ app, sessions }: AuthRouteParts): AuthRoute {
  return async (request, _url, info) => {
    // Required for every request: a foreign page must not be able to remove the cookie either.
    requireSameOrigin(request.method, request.headers, app.config.publicUrl);
    const person = await sessions.validate(request.headers.get('cookie'));
    if (person) {
      const context: RequestContext = { app, actor: person, ...info };
      await revokeSession(context, { session_id: person.sessionId }).catch((error: unknown) => {
        // Another request ended it at the same time: signed out all the same.
        if (!(error instanceof AppError && error.code === 'session_not_found')) throw error;
      });
    }
    return new Response(null, { status: 204, headers: responseHeaders([sessions.blankCookie()]) });
  };
}
