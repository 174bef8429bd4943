import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { App } from '../../context.ts';
import { cookieName, parseCookies, serializeCookie } from '../../http/requests/cookies.ts';

/** How long an interaction may take. */
export const INTERACTION_SECONDS = 3600;
/** Interactions begun in several tabs; with more, the browser's cookies would outgrow a request's headers. */
const BEGUN_MAX = 4;
const PREFIX = 'interaction-';

/**
 * Remembers in the browser that it began an interaction. The provider's own cookies are bound to paths, so every host of the domain
 * can set them: with those alone, a page of a customer could let someone sign in to an interaction that the customer began and
 * continues.
 */
export function rememberInteraction(
  app: App,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
  uid: string,
): void {
  const isSecure = isSecureAt(app);
  const prefix = cookieName(PREFIX, isSecure);
  const older = [...parseCookies(request.headers.cookie ?? null).keys()].filter((name) =>
    name.startsWith(prefix),
  );
  for (const name of older.length >= BEGUN_MAX ? older : []) {
    response.appendHeader('set-cookie', serializeCookie(name, '', { isSecure, maxAgeSeconds: 0 }));
  }
  const options = { isSecure, maxAgeSeconds: INTERACTION_SECONDS };
  response.appendHeader('set-cookie', serializeCookie(nameOf(app, uid), '1', options));
}

/** Whether the browser of the request began the interaction. */
export function isBegunHere(app: App, { headers }: IncomingMessage, uid: string): boolean {
  return parseCookies(headers.cookie ?? null).has(nameOf(app, uid));
}

function nameOf(app: App, uid: string): string {
  const hash = createHash('sha256').update(uid).digest('hex').slice(0, 16);
  return `${cookieName(PREFIX, isSecureAt(app))}${hash}`;
}

function isSecureAt({ config }: App): boolean {
  return config.publicUrl.startsWith('https:');
}
