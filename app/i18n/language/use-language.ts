import { useLingui } from '@lingui/react';
import { useRouter } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { Language } from '#server/services/identity/rules.ts';
import { applyLanguage, parseLanguage } from './apply-language.ts';

/** Returns the language of the interface and a function that changes it, including the page title. */
export function useLanguage(): { language: Language; changeLanguage(language: Language): Promise<void> } {
  const { i18n } = useLingui();
  const router = useRouter();
  const changeLanguage = useCallback(
    async (language: Language) => {
      applyLanguage(i18n, language);
      // Titles are created when a route is matched.
      await router.invalidate();
    },
    [i18n, router],
  );
  return { language: parseLanguage(i18n.locale) ?? 'en-CA', changeLanguage };
}
