import type { Language } from '#server/services/identity/rules.ts';

/** Languages are named in themselves, so that whoever needs one recognises it. */
export const LANGUAGE_NAMES: Record<Language, { full: string; short: string }> = {
  'en-CA': { full: 'English (Canada)', short: 'EN' },
  'fr-CA': { full: 'Français (Canada)', short: 'FR' },
};
