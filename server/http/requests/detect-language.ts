import { LANGUAGES, type Language } from '../../services/identity/rules.ts';

/** The cookie that mirrors the stored choice, so that the server renders the right language at once. */
export const LANGUAGE_COOKIE = 'language';

/**
 * Returns the language of a page: the person's preference, otherwise the stored choice, otherwise what the
 * program that sent the browser requests, otherwise the browser's, otherwise en-CA. Only the two known
 * languages are ever returned, whatever the values are.
 */
export function detectLanguage(sources: {
  preference: Language | null;
  cookie: string | undefined;
  /** `ui_locales` of OpenID Connect: tags by preference. */
  asked?: string | null;
  acceptLanguage: string | null;
}): Language {
  return (
    sources.preference ??
    parseLanguage(sources.cookie) ??
    fromAcceptLanguage(sources.asked?.trim().replaceAll(/\s+/g, ', ') ?? null) ??
    fromAcceptLanguage(sources.acceptLanguage) ??
    'en-CA'
  );
}

/** Returns the value when it is one of our languages. */
export function parseLanguage(value: string | undefined): Language | null {
  return LANGUAGES.find((language) => language === value) ?? null;
}

function fromAcceptLanguage(header: string | null): Language | null {
  if (header === null || header.length > 1000) return null;
  const ranked = header
    .split(',')
    .map((entry) => {
      const [tag = '', ...parameters] = entry.trim().split(';');
      const quality = Number(
        parameters.find((parameter) => parameter.trim().startsWith('q='))?.split('=')[1] ?? 1,
      );
      return { tag: tag.toLowerCase(), quality: Number.isFinite(quality) ? quality : 0 };
    })
    .filter((entry) => entry.quality > 0)
    .sort((a, b) => b.quality - a.quality);
  for (const { tag } of ranked) {
    if (tag === 'fr' || tag.startsWith('fr-')) return 'fr-CA';
    if (tag === 'en' || tag.startsWith('en-')) return 'en-CA';
  }
  return null;
}
