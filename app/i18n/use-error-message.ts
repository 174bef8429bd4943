import { msg } from '@lingui/core/macro';
import { useLingui } from '@lingui/react';
import { ERROR_MESSAGES } from './error-messages.ts';
import { wordsOfParams } from './error-params.ts';
import { isUnreachable, readError } from './read-error.ts';

const NETWORK_FAILURE = msg`The server cannot be reached. Check your connection and try again.`;

/** Returns a function that describes an error in the language of the page. */
export function useErrorMessage(): (error: unknown) => string {
  const { i18n } = useLingui();
  return (error) => {
    const known = readError(error);
    if (!known) return i18n._(isUnreachable(error) ? NETWORK_FAILURE : ERROR_MESSAGES.internal);
    const descriptor = ERROR_MESSAGES[known.code];
    const words = wordsOfParams(known, i18n);
    return i18n._({ ...descriptor, values: { ...descriptor.values, ...known.params, ...words } });
  };
}
