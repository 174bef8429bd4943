import { LanguageKeeper } from '../../i18n/language-keeper.tsx';
import { usePlace } from '../organizations/place-provider.tsx';

/** Keeps the page in the language that the person has chosen. */
export function PersonsLanguage() {
  return <LanguageKeeper preference={usePlace().user.language_preference} />;
}
