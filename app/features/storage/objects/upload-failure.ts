import { msg } from '@lingui/core/macro';
import { useLingui } from '@lingui/react';

const FAILURES = {
  network: msg`The storage cannot be reached. Check your connection and resume.`,
  AccessDenied: msg`You may not upload to this bucket any more.`,
  EntityTooLarge: msg`The file is larger than an object can be.`,
  KeyTooLongError: msg`The name is too long.`,
  NoSuchBucket: msg`The bucket is not there any more.`,
  NoSuchUpload: msg`What was sent before has been given up. Resume to begin again.`,
  QuotaExceeded: msg`The buckets of this organization are full. Delete objects, or ask for more room.`,
  ServiceUnavailable: msg`The storage has no room or is away at the moment. Resume later.`,
  SlowDown: msg`Too much at once. Resume in a moment.`,
  unknown: msg`The upload failed. Resume to try again.`,
};

/** Returns a function that says why an upload failed, by the code of the storage. */
export function useUploadFailure(): (code: string) => string {
  const { i18n } = useLingui();
  return (code) =>
    i18n._(Object.hasOwn(FAILURES, code) ? FAILURES[code as keyof typeof FAILURES] : FAILURES.unknown);
}
