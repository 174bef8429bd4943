import { answerFailure } from '../http/failures/failure-response.ts';
import { methodNotAllowed } from '../http/requests/method-not-allowed.ts';
import type { RequestInfo } from '../http/requests/request-info.ts';
import { addressKey } from '../limits/rate-limits.ts';
import type { AuthRoute, AuthRoutesDeps } from './auth-route.ts';
import { createBackChannelRoute } from './back-channel-route.ts';
import { createCallbackRoute } from './callback-route.ts';
import { createSignInFlows } from './sign-in-flow.ts';
import { createSignInRoute } from './sign-in-route.ts';
import { createSignOutRoute } from './sign-out-route.ts';

export type AuthRoutes = (request: Request, info: RequestInfo) => Promise<Response | null>;

/** Returns the handler of addresses below `/auth`; it returns null for every other path. */
export function createAuthRoutes(deps: AuthRoutesDeps): AuthRoutes {
  const { app } = deps;
  const { publicUrl } = app.config;
  const parts = { ...deps, flows: createSignInFlows(app) };
  const routes: ReadonlyMap<string, { method: string; answer: AuthRoute }> = new Map([
    ['/auth/login', { method: 'GET', answer: createSignInRoute(parts) }],
    ['/auth/callback', { method: 'GET', answer: createCallbackRoute(parts) }],
    ['/auth/logout', { method: 'POST', answer: createSignOutRoute(parts) }],
    ['/auth/backchannel-logout', { method: 'POST', answer: createBackChannelRoute(parts) }],
  ]);
  if (!publicUrl.startsWith('https:')) {
    app.logger.warn({ public_url: publicUrl }, 'sign-in cookies are not Secure: PUBLIC_URL is plain http');
  }
  return async (request, info) => {
    const url = new URL(request.url);
    const route = routes.get(url.pathname);
    if (route === undefined) return null;
    try {
      if (request.method !== route.method) throw methodNotAllowed(route.method);
      await app.rateLimits.consume('sign_in_redirect_address', addressKey(info.address));
      return await route.answer(request, url, info);
    } catch (error) {
      const { method, headers } = request;
      return answerFailure(app, error, { method, url, headers }, info);
    }
  };
}
