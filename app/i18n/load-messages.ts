import type { Messages } from '@lingui/core';
import type { Language } from '#server/services/identity/rules.ts';

/** Each catalog is a separate chunk: a page loads one language. */
const CATALOGS: Record<Language, () => Promise<{ messages: Messages }>> = {
  'en-CA': () => import('#locales/en-CA.po'),
  'fr-CA': () => import('#locales/fr-CA.po'),
};

/** Returns the messages of a language. */
export async function loadMessages(locale: Language): Promise<Messages> {
  return (await CATALOGS[locale]()).messages;
}
