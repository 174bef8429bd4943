import { LanguageKeeper } from '../../i18n/language/language-keeper.tsx';
import { useMemberships } from '../organizations/memberships-provider.tsx';

/** Keeps the page in the language that the person has chosen. */
export function PersonsLanguage() {
  return <LanguageKeeper preference={useMemberships().user.language_preference} />;
}
