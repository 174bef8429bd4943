export type PageLanguage = 'en' | 'fr';

/**
 * Returns the language of the edge's own pages for an Accept-Language header: the preferred one of English
 * and French, or English.
 */
export function preferredLanguage(acceptLanguage: string): PageLanguage {
  let chosen: PageLanguage = 'en';
  let weight = 0;
  for (const part of acceptLanguage.toLowerCase().split(',', 20)) {
    const [tag = '', quality = ''] = part.split(';');
    const language = tag.trim().split('-')[0];
    if (language !== 'en' && language !== 'fr') continue;
    const found = /^\s*q\s*=\s*([01](?:\.\d*)?)\s*$/.exec(quality);
    const own = quality === '' ? 1 : Number(found?.[1] ?? 0);
    if (own > weight) {
      chosen = language;
      weight = own;
    }
  }
  return chosen;
}
