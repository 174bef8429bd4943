import { parseCookies } from '../requests/cookies.ts';
import { detectLanguage, LANGUAGE_COOKIE } from '../requests/detect-language.ts';
import type { HeaderReader } from '../requests/header-reader.ts';

const WORDS = {
  'en-CA': {
    title: 'Back in a moment',
    text: 'The console is not available right now. Sites are still being served. Please try again shortly.',
    again: 'Try again',
  },
  'fr-CA': {
    title: 'De retour dans un instant',
    text: 'La console n’est pas disponible en ce moment. Les sites restent en ligne. Veuillez réessayer sous peu.',
    again: 'Réessayer',
  },
} as const;

const STYLE =
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto 0;padding:0 1.5rem;color-scheme:light dark}';

/**
 * Returns the page that people see while a dependency of the console is down; it has no dependencies itself.
 * `search` is the query of the address, in which another program may request a language.
 */
export function outagePage(headers: HeaderReader, search: string): string {
  const language = detectLanguage({
    preference: null,
    cookie: parseCookies(headers.get('cookie')).get(LANGUAGE_COOKIE),
    asked: new URLSearchParams(search).get('ui_locales'),
    acceptLanguage: headers.get('accept-language'),
  });
  const { title, text, again } = WORDS[language];
  return `<!doctype html><html lang="${language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${STYLE}</style><h1>${title}</h1><p>${text}</p><p><a href="">${again}</a></p></html>`;
}

/** The headers of the page, besides its status. */
export function outagePageHeaders(seconds: number): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    'cache-control': 'no-store',
    'retry-after': String(seconds),
    'x-content-type-options': 'nosniff',
  };
}
