import { msg } from '@lingui/core/macro';
import { useLingui } from '@lingui/react';

const FAILURES = {
  network: msg`The storage cannot be reached. The upload continues when it can be reached again, or when you resume it.`,
  signed_out: msg`Your session has ended. The upload continues when you have signed in again.`,
  AccessDenied: msg`You can no longer upload to this bucket.`,
  AccountProblem: msg`The spending limit of this organization is reached. Raise it, or resume next month.`,
  EntityTooLarge: msg`The file exceeds the maximum size of an object.`,
  KeyTooLongError: msg`The name is too long.`,
  NoSuchBucket: msg`The bucket no longer exists.`,
  NoSuchUpload: msg`The earlier upload was discarded. Resume to start over.`,
  QuotaExceeded: msg`The buckets of this organization are full. Delete objects, or ask for more space.`,
  ServiceUnavailable: msg`Storage is full or unavailable at the moment. Resume later.`,
  SlowDown: msg`Too many requests at once. Resume in a moment.`,
  unknown: msg`The upload failed. Resume to try again.`,
};

/** Returns a function that says why an upload failed, by the code of the storage. */
export function useUploadFailure(): (code: string) => string {
  const { i18n } = useLingui();
  return (code) =>
    i18n._(Object.hasOwn(FAILURES, code) ? FAILURES[code as keyof typeof FAILURES] : FAILURES.unknown);
}
