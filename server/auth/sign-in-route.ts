import { parseCookies } from '../http/requests/cookies.ts';
import { detectLanguage, LANGUAGE_COOKIE, parseLanguage } from '../http/requests/detect-language.ts';
import { newToken } from '../ids.ts';
import type { AuthRoute, AuthRouteParts } from './auth-route.ts';
import { redirect, redirectToError } from './redirects.ts';
import { safeReturnPath } from './return-path.ts';

/** Returns the route that sends the browser to the issuer. */
export function createSignInRoute({ app, client, flows }: AuthRouteParts): AuthRoute {
  const { config, logger } = app;
  const publicHost = new URL(config.publicUrl).host;
  return async (request, url) => {
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
      return redirectToError(config.publicUrl, 'sign_in_unavailable');
    }
  };
}
