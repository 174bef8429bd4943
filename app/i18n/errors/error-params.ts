import type { I18n, MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { ErrorCode, ErrorShape } from '#server/error-codes.ts';
import type { PathProblem } from '#server/services/deployments/manifests/manifest-rules.ts';
import { formatDate } from '#server/services/shared/date-rules.ts';
import { formatBytes } from '../formats/format-bytes.ts';
import { formatWait } from '../formats/format-wait.ts';
import { PERMISSION_NAMES } from '../permission-names.ts';
import { revealDirection } from '../reveal-direction.ts';

/** What is wrong with a path, as the end of a sentence. Exhaustive by type. */
const PATH_PROBLEMS: Record<PathProblem, MessageDescriptor> = {
  empty: msg`it is empty`,
  not_text: msg`it is not valid Unicode text`,
  stacked_marks: msg`it has too many accents on one letter`,
  absolute: msg`it must be relative, without a leading slash or a drive`,
  backslash: msg`it contains a backslash`,
  control: msg`it contains a control character`,
  empty_segment: msg`it contains an empty segment between slashes`,
  dot_segment: msg`it contains a “.” or “..” segment`,
  reserved: msg`no file may have this name`,
  too_long: msg`it is longer than 1,024 bytes`,
};

/** Errors whose `limit` is an amount of bytes. */
const BYTE_LIMITS: ReadonlySet<ErrorCode> = new Set([
  'limit_file_bytes',
  'limit_version_bytes',
  'limit_body_bytes',
  'limit_stored_bytes',
  'limit_bucket_bytes',
]);

/** Returns the parameters of an error that are texts, codes, amounts of bytes or times, as the page shows them. */
export function wordsOfParams(
  { code, params }: Pick<ErrorShape, 'code' | 'params'>,
  i18n: I18n,
): Record<string, string> {
  const words: Record<string, string> = {};
  const { problem, permission, limit, seconds, until } = params;
  // Names of files come from elsewhere.
  for (const [name, value] of Object.entries(params)) {
    if (typeof value === 'string') words[name] = revealDirection(value);
  }
  if (typeof problem === 'string' && isKeyOf(PATH_PROBLEMS, problem))
    words.problem = i18n._(PATH_PROBLEMS[problem]);
  if (typeof permission === 'string' && isKeyOf(PERMISSION_NAMES, permission)) {
    words.permission = i18n._(PERMISSION_NAMES[permission]);
  }
  if (typeof limit === 'number' && BYTE_LIMITS.has(code)) words.limit = formatBytes(limit, i18n.locale);
  if (typeof seconds === 'number') words.wait = formatWait(seconds, i18n.locale);
  if (typeof until === 'string') {
    words.until = formatDate(until, i18n.locale, {
      dateStyle: 'long',
      timeStyle: 'short',
      timeZone: undefined,
    });
  }
  return words;
}

function isKeyOf<T extends object>(table: T, key: string): key is Extract<keyof T, string> {
  return Object.hasOwn(table, key);
}
