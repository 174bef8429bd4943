import type { Language } from '#server/services/identity/rules.ts';

/** Languages are named in themselves, so that their speakers recognize them. */
export const LANGUAGE_NAMES: Record<Language, { full: string; short: string }> = {
  'en-CA': { full: 'English (Canada)', short: 'EN' },
  'fr-CA': { full: 'Français (Canada)', short: 'FR' },
};
