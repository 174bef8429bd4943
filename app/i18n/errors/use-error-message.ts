import { msg } from '@lingui/core/macro';
import { useLingui } from '@lingui/react';
import { useCallback, useSyncExternalStore } from 'react';
import { useUpdated } from '../../console-update.ts';
import { getErrorWords, loadErrorWords, onErrorWords } from './error-words.ts';
import { FORESEEN_MESSAGES } from './foreseen-messages.ts';
import { foreignTextOf, isUnreachable, readError } from './read-error.ts';

const UPDATED = msg`The console was updated. Reload the page to continue.`;
/** Of a response that is not ours and does not say that it failed. */
const UNKNOWN = msg`Unknown error occurred`;
const NETWORK_FAILURE = msg`The server cannot be reached. Check your connection and try again.`;

/** Returns a function that describes an error in the language of the page. */
export function useErrorMessage(): (error: unknown) => string {
  const { i18n } = useLingui();
  const isUpdated = useUpdated();
  const wordError = useSyncExternalStore(onErrorWords, getErrorWords, getErrorWords);
  return useCallback(
    (error) => {
      const known = readError(error);
      if (!known) {
        if (isUpdated) return i18n._(UPDATED);
        return foreignTextOf(error) ?? i18n._(isUnreachable(error) ? NETWORK_FAILURE : UNKNOWN);
      }
      // Words may have come after the component was rendered that asks for them.
      const word = wordError ?? getErrorWords();
      if (word) return word(known, i18n);
      void loadErrorWords();
      return i18n._(FORESEEN_MESSAGES.internal);
    },
    [i18n, wordError, isUpdated],
  );
}
