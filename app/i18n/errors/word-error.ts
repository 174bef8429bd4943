import type { I18n } from '@lingui/core';
import type { ErrorShape } from '#server/error-codes.ts';
import { ERROR_MESSAGES } from './error-messages.ts';
import { wordsOfParams } from './error-params.ts';

/** Returns the text of an error in the language of the page. */
export function wordError(known: Pick<ErrorShape, 'code' | 'params'>, i18n: I18n): string {
  const { id, message } = ERROR_MESSAGES[known.code];
  const values = { ...known.params, ...wordsOfParams(known, i18n) };
  return i18n._(id, values, { message });
}
