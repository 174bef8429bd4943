import { createHash } from 'node:crypto';
import { type PageLanguage, preferredLanguage } from './fields/preferred-language.ts';

/** Answers whose text is the edge's own. */
export type EdgePage =
  | 'unknown-host'
  | 'not-deployed'
  | 'version-removed'
  | 'suspended'
  | 'over-limit'
  | 'not-found'
  | 'bad-request'
  | 'misdirected'
  | 'unavailable';

interface PageWords {
  readonly title: string;
  readonly text: string;
}

const WORDS: Readonly<Record<EdgePage, Readonly<Record<PageLanguage, PageWords>>>> = {
  'unknown-host': {
    en: {
      title: 'There is no site at this address',
      text: 'Check the spelling of the address. If it is yours, add it to a site in the console; it works within a second.',
    },
    fr: {
      title: 'Il n’y a aucun site à cette adresse',
      text: 'Vérifiez l’orthographe de l’adresse. Si elle est à vous, ajoutez-la à un site dans la console; elle fonctionnera en moins d’une seconde.',
    },
  },
  'not-deployed': {
    en: {
      title: 'Nothing has been deployed yet',
      text: 'This site has no content yet. It appears here as soon as a version is deployed.',
    },
    fr: {
      title: 'Rien n’a encore été déployé',
      text: 'Ce site n’a pas encore de contenu. Il apparaîtra ici dès qu’une version sera déployée.',
    },
  },
  'version-removed': {
    en: {
      title: 'This version no longer exists',
      text: 'Only the newest versions of a site are kept. The site itself is still at its usual address.',
    },
    fr: {
      title: 'Cette version n’existe plus',
      text: 'Seules les versions les plus récentes d’un site sont conservées. Le site lui-même se trouve toujours à son adresse habituelle.',
    },
  },
  suspended: {
    en: {
      title: 'This site is not available',
      text: 'Its hosting has been suspended. If this site is yours, the console says why.',
    },
    fr: {
      title: 'Ce site n’est pas disponible',
      text: 'Son hébergement a été suspendu. Si ce site est le vôtre, la console indique pourquoi.',
    },
  },
  'over-limit': {
    en: {
      title: 'This site is temporarily unavailable',
      text: 'It has reached the spending limit that its owner set for this month. If it is yours, you can raise the limit in the console.',
    },
    fr: {
      title: 'Ce site est temporairement indisponible',
      text: 'Il a atteint le plafond de dépenses que son propriétaire a fixé pour ce mois. Si ce site est le vôtre, vous pouvez relever le plafond dans la console.',
    },
  },
  'not-found': {
    en: {
      title: 'This page does not exist',
      text: 'The address may be misspelled, or the page may have moved. Try the home page of this site.',
    },
    fr: {
      title: 'Cette page n’existe pas',
      text: 'L’adresse est peut-être mal écrite, ou la page a été déplacée. Essayez la page d’accueil de ce site.',
    },
  },
  'bad-request': {
    en: {
      title: 'This address is not valid',
      text: 'It contains characters that are not allowed in an address.',
    },
    fr: {
      title: 'Cette adresse n’est pas valide',
      text: 'Elle contient des caractères interdits dans une adresse.',
    },
  },
  misdirected: {
    en: {
      title: 'This connection is for another address',
      text: 'The secure connection was made for one address and used for another. Please open the address again.',
    },
    fr: {
      title: 'Cette connexion est celle d’une autre adresse',
      text: 'La connexion sécurisée a été établie pour une adresse et utilisée pour une autre. Veuillez ouvrir l’adresse de nouveau.',
    },
  },
  unavailable: {
    en: {
      title: 'Back in a moment',
      text: 'This site cannot be reached right now. Please try again shortly.',
    },
    fr: {
      title: 'De retour dans un instant',
      text: 'Ce site ne peut pas être joint pour le moment. Veuillez réessayer sous peu.',
    },
  },
};

const STYLE = `:root{color-scheme:light dark;--paper:#f7f7f5;--ink:#1c1f23;--soft:#5b626b;--mark:#2f6f5e}
@media(prefers-color-scheme:dark){:root{--paper:#14171a;--ink:#e9ebee;--soft:#a3abb5;--mark:#6fc3ab}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:2rem;background:var(--paper);color:var(--ink);font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:34rem}
main::before{content:"";display:block;width:2.5rem;height:.25rem;border-radius:.125rem;background:var(--mark);margin-bottom:1.5rem}
h1{font-size:clamp(1.5rem,5vw,2rem);line-height:1.2;letter-spacing:-.02em;font-weight:650;margin:0 0 .75rem;text-wrap:balance}
p{margin:0;color:var(--soft);text-wrap:pretty}
small a{color:inherit}
small{display:block;margin-top:2rem;color:var(--soft);font-variant-numeric:tabular-nums}`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** One of the edge's own pages, ready to send. */
export interface RenderedPage {
  readonly status: number;
  /** Names and values, alternating, including Content-Length. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

const STATUSES: Readonly<Record<EdgePage, number>> = {
  'unknown-host': 404,
  'not-deployed': 404,
  'version-removed': 404,
  suspended: 503,
  'over-limit': 503,
  'not-found': 404,
  'bad-request': 400,
  misdirected: 421,
  unavailable: 503,
};

/**
 * Seconds after which a client may retry: when nothing is known about a host, and when a limit may have been
 * raised.
 */
const RETRY_AFTER_SECONDS: Partial<Record<EdgePage, number>> = { unavailable: 5, 'over-limit': 3600 };

/** Pages on which a person harmed by the former content looks for a way to report it. */
const PAGES_WITH_REPORT: ReadonlySet<EdgePage> = new Set([
  'unknown-host',
  'not-deployed',
  'version-removed',
  'suspended',
]);

const REPORT_WORDS: Readonly<Record<PageLanguage, string>> = { en: 'Report abuse', fr: 'Signaler un abus' };

const rendered = new Map<string, RenderedPage>();

/** Returns the page in the visitor's language: self-contained, light and dark, never cached, not indexed. */
export function edgePage(page: EdgePage, acceptLanguage: string, reportUrl: string | null): RenderedPage {
  const language = preferredLanguage(acceptLanguage);
  const key = `${page} ${language} ${reportUrl ?? ''}`;
  const known = rendered.get(key);
  if (known !== undefined) return known;
  const fresh = renderPage(page, language, reportUrl);
  rendered.set(key, fresh);
  return fresh;
}

function renderPage(page: EdgePage, language: PageLanguage, reportUrl: string | null): RenderedPage {
  const { title, text } = WORDS[page][language];
  const status = STATUSES[page];
  const retryAfter = RETRY_AFTER_SECONDS[page];
  // An address serialized by URL contains no character that would end the attribute.
  const report =
    reportUrl !== null && PAGES_WITH_REPORT.has(page)
      ? ` · <a href="${new URL(reportUrl).href}">${REPORT_WORDS[language]}</a>`
      : '';
  const body = Buffer.from(`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${text}</p>
<small>${status}${report}</small>
</main>
</body>
</html>
`);
  const headers = [
    ...[
      'Content-Type',
      'text/html; charset=utf-8',
      'Content-Length',
      String(body.length),
      'Content-Language',
      language,
    ],
    ...['Cache-Control', 'no-store', 'Vary', 'Accept-Language', 'X-Content-Type-Options', 'nosniff'],
    ...[
      'X-Robots-Tag',
      'noindex',
      'Content-Security-Policy',
      `default-src 'none'; style-src 'sha256-${STYLE_HASH}'`,
    ],
    ...(retryAfter === undefined ? [] : ['Retry-After', String(retryAfter)]),
  ];
  return { status, headers, body };
}
