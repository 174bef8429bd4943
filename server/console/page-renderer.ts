import { randomBytes } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import type { ConsoleRequestContext, ConsoleSettings } from '#app/request-context.ts';
import type { RequestContext } from '../context.ts';
import { compressStream } from '../http/bodies/compress-stream.ts';
import { parseCookies } from '../http/requests/cookies.ts';
import { detectLanguage, LANGUAGE_COOKIE } from '../http/requests/detect-language.ts';
import { appRouter } from '../routers/app-router.ts';
import { getUser } from '../services/identity/get-user.ts';
import { pageHeaders } from './security-headers.ts';

/** The page bundle's server entry, as Vite builds it. */
interface PageBundle {
  default: { fetch(request: Request, options: { context: ConsoleRequestContext }): Promise<Response> };
}

/** Where pages come from: the built bundle, or Vite's module runner in development. */
export type LoadPageBundle = () => Promise<PageBundle>;

/**
 * Loads a built bundle. It is one file: no part of it is read later, when an upgrade may have replaced it.
 */
export async function loadBuiltBundle(serverEntry: string): Promise<LoadPageBundle> {
  const bundle: PageBundle = await import(pathToFileURL(serverEntry).href);
  return async () => bundle;
}

/** Answers a page request with server-rendered HTML in the person's language. */
export type RenderPage = (
  request: Request,
  context: RequestContext,
  readInteraction: ConsoleRequestContext['readInteraction'],
) => Promise<Response>;

/** Returns the renderer; `settings` is what pages know about this installation. */
export function createPageRenderer(
  loadBundle: LoadPageBundle,
  settings: ConsoleSettings,
  options: { isDevelopment: boolean },
): RenderPage {
  const isSecure = settings.publicUrl.startsWith('https:');
  const hasStripe = settings.billingMode === 'stripe';
  const s3Origin = new URL(settings.s3Url).origin;
  return async (request, context, readInteraction) => {
    const nonce = randomBytes(16).toString('base64');
    const preference = context.actor.kind === 'person' ? (await getUser(context)).language_preference : null;
    const locale = detectLanguage({
      preference,
      cookie: parseCookies(request.headers.get('cookie')).get(LANGUAGE_COOKIE),
      asked: new URL(request.url).searchParams.get('ui_locales'),
      acceptLanguage: request.headers.get('accept-language'),
    });
    const bundle = await loadBundle();
    const response = await bundle.default.fetch(request, {
      context: { nonce, locale, settings, trpc: { router: appRouter, context }, readInteraction },
    });
    const headers = new Headers(response.headers);
    for (const [name, value] of Object.entries(
      pageHeaders(nonce, { ...options, isSecure, hasStripe, s3Origin }),
    ))
      headers.set(name, value);
    headers.set('cache-control', 'no-store');
    headers.set('x-request-id', context.requestId);
    const page = new Response(response.body, {
      status: response.status,
      statusText: response.statusText,
      headers,
    });
    return compressStream(page, request);
  };
}
