import type { ErrorCode } from '../error-codes.ts';

/** Returns the headers of every response below `/auth`. */
export function responseHeaders(cookies: string[]): Headers {
  const headers = new Headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  for (const cookie of cookies) headers.append('set-cookie', cookie);
  return headers;
}

/** Returns a redirect that sets cookies. */
export function redirect(location: string, cookies: string[] = []): Response {
  const headers = responseHeaders(cookies);
  headers.set('location', location);
  return new Response(null, { status: 303, headers });
}

/** Returns a redirect to the sign-in page, which says what happened; the next attempt leads where this one was meant to. */
export function redirectToError(
  publicUrl: string,
  code: ErrorCode,
  cookies: string[] = [],
  returnTo = '/',
): Response {
  const next = returnTo === '/' ? '' : `&return_to=${encodeURIComponent(returnTo)}`;
  return redirect(`${publicUrl}/login?error=${code}${next}`, cookies);
}
