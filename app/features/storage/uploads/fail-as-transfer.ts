import { watchForServer } from '../../../components/lazy-parts/server-watch.ts';
import { isRetriable, isSignedOut, isUnreachable, readError } from '../../../i18n/errors/read-error.ts';
import { setSessionEnded } from '../../sign-in/ended-session.ts';
import { TransferError } from './send-object.ts';

/** What the storage would say for the same reason. */
const CODES: Partial<Record<string, string>> = {
  bucket_not_found: 'NoSuchBucket',
  bucket_not_active: 'NoSuchBucket',
  permission_required: 'AccessDenied',
  organization_suspended: 'AccessDenied',
};

/**
 * Throws the failure of a call to the console as a failure of the upload that needs it: an upload treats the console and the
 * storage alike. It also has the page watch for the server, or ask for another sign-in.
 */
export function failAsTransfer(error: unknown): never {
  if (isSignedOut(error)) {
    setSessionEnded(true);
    throw new TransferError('signed_out', 401);
  }
  if (isRetriable(error)) {
    watchForServer();
    throw isUnreachable(error)
      ? new TransferError('network', 0)
      : new TransferError('ServiceUnavailable', 503);
  }
  const code = readError(error)?.code ?? '';
  if (code === 'too_many_requests') throw new TransferError('SlowDown', 503);
  throw new TransferError(CODES[code] ?? 'unknown', 400);
}
