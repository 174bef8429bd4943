import { useLingui } from '@lingui/react/macro';
import type { Language } from '#server/services/identity/rules.ts';
import { notifyFailure } from '../../components/notifications/notify.ts';
import { useLanguage } from '../../i18n/language/use-language.ts';
import { trpc } from '../../trpc.ts';

/** Returns a function that makes a language the person's own, on every device, and shows it immediately. */
export function useChooseLanguage(): (language: Language) => Promise<void> {
  const { t } = useLingui();
  const { changeLanguage } = useLanguage();
  const utils = trpc.useUtils();
  const update = trpc.user.updateSettings.useMutation();
  return async (language) => {
    try {
      const saved = await update.mutateAsync({ language_preference: language });
      // Before the language changes, so that the old preference is not applied again.
      utils.user.me.setData(undefined, saved);
      await changeLanguage(language);
    } catch {
      notifyFailure(t`The language could not be saved.`);
    }
  };
}
