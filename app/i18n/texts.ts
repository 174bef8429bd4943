import type { Messages } from '@lingui/core';
import { LANGUAGES, type Language } from '#server/services/identity/rules.ts';

/**
 * What the parts of the console that are loaded say, by language. Each module brings the texts that it shows, put into it by the
 * build (server/console/page-build/inline-texts.ts): a page loads no words but its own, and another language is there at once. The
 * translations of a page hold these very objects, so that what a part adds is known before it is first shown.
 */
export const TEXTS: Record<Language, Messages> = { 'en-CA': {}, 'fr-CA': {} };

/** Adds texts in the languages of {@link LANGUAGES}, in that order: modules call it when they are loaded. */
export function addTexts(rows: readonly (readonly [id: string, ...texts: Messages[string][]])[]): void {
  for (const [id, ...texts] of rows) {
    LANGUAGES.forEach((language, index) => {
      const text = texts[index];
      if (text !== undefined) TEXTS[language][id] = text;
    });
  }
}
