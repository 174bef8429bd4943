import type { App } from '#server/context.ts';
import type { Language } from '../identity/rules.ts';

const SANDBOX: Record<Language, string> = {
  'en-CA': 'This is a sandbox: no money moves.',
  'fr-CA': 'C’est un bac à sable\u00a0: aucun argent ne circule.',
};

/** Returns the notes that an email about money ends with: in the sandbox, that no money moves. */
export function sandboxNotes(app: App, language: Language): string[] {
  return app.payments?.mode === 'sandbox' ? [SANDBOX[language]] : [];
}
