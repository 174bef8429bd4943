import { KIND_OF_CODE } from '#server/error-codes.ts';
import { readError } from '../../../i18n/errors/read-error.ts';

/** A server that says when to come back is asked again for this long: it is busy, not broken. */
export const PATIENCE_SECONDS = 10 * 60;

/**
 * Returns the result of `call`, which is repeated for as long as the server is busy with other work of the
 * organization, each time after the delay that the server names.
 * @throws what `call` throws for any other reason, or when it has been repeated for too long
 */
export async function whileBusy<T>(
  call: () => Promise<T>,
  wait: (milliseconds: number) => Promise<void>,
): Promise<T> {
  let waited = 0;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      const seconds = busySeconds(error);
      if (seconds === null || waited >= PATIENCE_SECONDS) throw error;
      waited += seconds;
      await wait(seconds * 1000);
    }
  }
}

/** Returns when to retry, as the server says with 429, or null for any other failure. */
function busySeconds(error: unknown): number | null {
  const known = readError(error);
  if (known === null || KIND_OF_CODE[known.code] !== 'too_many') return null;
  return Math.max(1, Number(known.params.seconds ?? 1));
}
