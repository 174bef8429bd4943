import type { IncomingMessage } from 'node:http';
import type { S3Response } from './call.ts';
import type { S3Error } from './s3-error.ts';
import { escapeText } from './xml/write-xml.ts';

const WORDS = {
  en: {
    title: 'This link does not work',
    text: 'It has expired or is incomplete, or the file no longer exists. Ask the person who sent it to you for a new link.',
  },
  fr: {
    title: 'Ce lien ne fonctionne pas',
    text: 'Il est expiré ou incomplet, ou le fichier n’existe plus. Demandez un nouveau lien à la personne qui vous l’a envoyé.',
  },
} as const;

const STYLE =
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto 0;padding:0 1.5rem;color-scheme:light dark}small{opacity:.7}';

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex',
};

/**
 * Returns the page for a person who opens a presigned address that is refused, with S3's own words below it; null for
 * programs, which do not ask for pages and read the error in XML.
 */
export function deadLinkPage(
  { method, url = '', headers }: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
  { status, code, message }: Pick<S3Error, 'status' | 'code' | 'message'>,
): S3Response | null {
  const isPerson = method === 'GET' && (headers.accept ?? '').includes('text/html');
  const isLink = url.includes('X-Amz-Algorithm=');
  if (!isPerson || !isLink || ![400, 403, 404].includes(status)) return null;
  // Browsers list languages by preference.
  const language = /^\s*fr\b/i.test(headers['accept-language'] ?? '') ? 'fr' : 'en';
  const { title, text } = WORDS[language];
  const body = `<!doctype html><html lang="${language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${STYLE}</style><h1>${title}</h1><p>${text}</p><p><small lang="en">${escapeText(`${code}: ${message}`)}</small></p></html>`;
  return { status, headers: HEADERS, body };
}
