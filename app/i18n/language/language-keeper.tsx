import { useEffect } from 'react';
import type { Language } from '#server/services/identity/rules.ts';
import { readRememberedLanguage, rememberLanguage } from './apply-language.ts';
import { useLanguage } from './use-language.ts';

/**
 * Keeps the interface in the person's language: the preference whenever it differs from the active one;
 * without a preference, what is stored in this browser; without either, the language that the server chose for
 * the page, which is remembered from then on. Renders nothing.
 */
export function LanguageKeeper({ preference }: { preference: Language | null }) {
  const { language, changeLanguage } = useLanguage();
  useEffect(() => {
    const wanted = preference ?? readRememberedLanguage();
    if (wanted && wanted !== language) void changeLanguage(wanted);
    else rememberLanguage(language);
  }, [preference, language, changeLanguage]);
  return null;
}
