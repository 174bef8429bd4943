/**
 * The issuer under which accounts of the embedded identity service are stored. It is a name and not an
 * address, so that an installation that moves to another PUBLIC_URL keeps its people.
 */
export const EMBEDDED_ISSUER = 'embedded';

/** The languages of the console. */
export const LANGUAGES = ['en-CA', 'fr-CA'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Whether a text is one of the console's languages. */
export function isLanguage(value: string | null): value is Language {
  return LANGUAGES.some((language) => language === value);
}
