import { Trans, useLingui } from '@lingui/react/macro';
import { Alert, Button, Group, Select, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { LANGUAGES, type Language } from '#server/services/identity/rules.ts';
import { SavedMark } from '../../components/forms/saved-mark.tsx';
import { useSaved } from '../../components/forms/use-saved.ts';
import { notifyFailure } from '../../components/notifications/notify.ts';
import { SectionCard } from '../../components/page/section-card.tsx';
import { isAnsweredInWords } from '../../i18n/errors/is-explained.ts';
import { useErrorMessage } from '../../i18n/errors/use-error-message.ts';
import { parseLanguage } from '../../i18n/language/apply-language.ts';
import { LANGUAGE_NAMES } from '../../i18n/language/language-names.ts';
import { useLanguage } from '../../i18n/language/use-language.ts';
import { trpc } from '../../trpc.ts';
import { useUser } from '../organizations/use-organization.ts';

/** The language preference: saved only when it differs, and applied immediately. */
export function LanguageCard() {
  const { t } = useLingui();
  const user = useUser();
  const { language, changeLanguage } = useLanguage();
  const describe = useErrorMessage();
  const utils = trpc.useUtils();
  const [isSaved, showSaved, hideSaved] = useSaved();
  const update = trpc.user.updateSettings.useMutation();
  // Without a stored preference, the language that the console chose counts as one.
  const stored = user.language_preference ?? language;
  // It may also be changed elsewhere, such as in the command palette: what was not chosen here follows.
  const [picked, setPicked] = useState<Language | null>(null);
  const chosen = picked ?? stored;

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    hideSaved();
    try {
      const saved = await update.mutateAsync({ language_preference: chosen });
      // Before the language changes, so that the old preference is not applied again.
      utils.user.me.setData(undefined, saved);
      setPicked(null);
      await changeLanguage(chosen);
      showSaved();
      utils.user.me
        .refetch(undefined, {}, { throwOnError: true })
        .catch(() => notifyFailure(t`Failed to refresh user data`));
    } catch {
      // Shown from update.error.
    }
  };

  return (
    <SectionCard
      title={<Trans>Language</Trans>}
      description={<Trans>The language of the console, on every device where you sign in.</Trans>}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <Select
            label={t`Language preference`}
            maw={320}
            value={chosen}
            onChange={(value) => setPicked(parseLanguage(value) ?? picked)}
            data={LANGUAGES.map((entry) => ({ value: entry, label: LANGUAGE_NAMES[entry].full }))}
          />
          {update.error && (
            <Alert color="red" role="alert">
              {isAnsweredInWords(update.error) ? describe(update.error) : t`Unknown error`}
            </Alert>
          )}
          <Group>
            <Button type="submit" disabled={chosen === stored} loading={update.isPending}>
              <Trans>Save</Trans>
            </Button>
            <SavedMark isShown={isSaved}>
              <Trans>Settings saved</Trans>
            </SavedMark>
          </Group>
        </Stack>
      </form>
    </SectionCard>
  );
}
