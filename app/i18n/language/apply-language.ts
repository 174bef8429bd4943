import type { I18n } from '@lingui/core';
import { LANGUAGES, type Language } from '#server/services/identity/rules.ts';
import { TEXTS } from '../texts.ts';

/**
 * Where the choice is kept in the browser; the cookie mirrors it, so that the server renders the right
 * language immediately.
 */
const STORAGE_KEY = 'language';
const COOKIE = 'language';
const YEAR_SECONDS = 31_536_000;

/** Returns the value when it is one of our languages, and null for anything else. */
export function parseLanguage(value: unknown): Language | null {
  return LANGUAGES.find((language) => language === value) ?? null;
}

/** Shows the interface in a language immediately and stores the choice in this browser. */
export function applyLanguage(i18n: I18n, language: Language): void {
  rememberLanguage(language);
  if (i18n.locale !== language) i18n.loadAndActivate({ locale: language, messages: TEXTS[language] });
}

/** Returns the choice kept in this browser, or null when there is none that we know. */
export function readRememberedLanguage(): Language | null {
  try {
    return parseLanguage(window.localStorage.getItem(STORAGE_KEY));
  } catch {
    // Storage may be forbidden; the browser's own language then decides.
    return null;
  }
}

/** Remembers a language in this browser for the next page. */
export function rememberLanguage(language: Language): void {
  try {
    window.localStorage.setItem(STORAGE_KEY, language);
  } catch {
    // Then it is stored in the cookie only.
  }
  setCookie(document, `${COOKIE}=${language}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax`);
}

/** The Cookie Store API needs https, which a local machine may not have. */
function setCookie(page: { cookie: string }, cookie: string): void {
  page.cookie = cookie;
}
