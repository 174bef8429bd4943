import { useLingui } from '@lingui/react/macro';
import { UnstyledButton } from '@mantine/core';
import { LANGUAGES, type Language } from '#server/services/identity/rules.ts';
import { LANGUAGE_NAMES } from '../i18n/language/language-names.ts';
import { useLanguage } from '../i18n/language/use-language.ts';
import classes from './language-switch.module.css';

/** Changes the language of the interface with one click; `onChange` may store the choice permanently. */
export function LanguageSwitch({ onChange }: { onChange?: (language: Language) => void }) {
  const { t } = useLingui();
  const { language, changeLanguage } = useLanguage();
  return (
    <fieldset className={classes.group} aria-label={t`Language`}>
      {LANGUAGES.map((entry) => (
        <UnstyledButton
          key={entry}
          className={classes.choice}
          lang={entry}
          title={LANGUAGE_NAMES[entry].full}
          aria-label={`${LANGUAGE_NAMES[entry].short}, ${LANGUAGE_NAMES[entry].full}`}
          aria-pressed={entry === language}
          onClick={() => {
            void changeLanguage(entry);
            onChange?.(entry);
          }}
        >
          {LANGUAGE_NAMES[entry].short}
        </UnstyledButton>
      ))}
    </fieldset>
  );
}
