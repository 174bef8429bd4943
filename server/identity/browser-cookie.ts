import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import type { App } from '../context.ts';
import { cookieName, parseCookies, serializeCookie } from '../http/requests/cookies.ts';
import { newToken } from '../ids.ts';
import type { KnownBrowser } from '../services/identity/sessions/known-browser.ts';

const NAME = 'known-browser';
const KEPT_SECONDS = 365 * 86_400;
/** People who share a browser; of more, those who signed in last. */
const SUBJECTS_MAX = 5;

const contentSchema = z.object({
  id: z.string(),
  subjects: z.array(z.string()).max(SUBJECTS_MAX),
  until: z.number(),
});

/**
 * Returns the contents of the browser cookie, sealed by us, or null when there is none or it is too old or
 * altered.
 */
export function findKnownBrowser(app: App, request: IncomingMessage): KnownBrowser | null {
  const sealed = parseCookies(request.headers.cookie ?? null).get(nameFor(app));
  if (!sealed) return null;
  try {
    const { until, ...browser } = contentSchema.parse(JSON.parse(app.sealer.open(sealed, NAME)));
    return until > app.clock.now() ? browser : null;
  } catch {
    // Sealed by another installation, or altered: to us it does not exist.
    return null;
  }
}

/** Remembers in the browser an account that someone has just proven to own. The browser keeps its own id. */
export function rememberBrowser(
  app: App,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
  subject: string,
): void {
  const known = findKnownBrowser(app, request);
  const others = (known?.subjects ?? []).filter((other) => other !== subject);
  const content: z.infer<typeof contentSchema> = {
    id: known?.id ?? newToken(16),
    subjects: [subject, ...others].slice(0, SUBJECTS_MAX),
    until: app.clock.now() + KEPT_SECONDS * 1000,
  };
  const options = { isSecure: isSecure(app), maxAgeSeconds: KEPT_SECONDS };
  const sealed = app.sealer.seal(JSON.stringify(content), NAME);
  response.appendHeader('set-cookie', serializeCookie(nameFor(app), sealed, options));
}

function nameFor(app: App): string {
  return cookieName(NAME, isSecure(app));
}

function isSecure({ config }: App): boolean {
  return config.publicUrl.startsWith('https:');
}
