import type { ErrorCode } from '../../error-codes.ts';
import { type AppError, toAppError } from '../../errors.ts';
import { FULL_MESSAGE, isDatabaseFull, logOutage } from '../../logging/log-outage.ts';
import type { Logger } from '../../logging/logger.ts';
import type { RequestInfo } from '../requests/request-info.ts';

/**
 * The request that failed. Its path has no query: what someone sends there by mistake stays out of the log.
 */
export interface FailedRequest extends RequestInfo {
  method: string;
  path: string;
}

/** Errors that probing causes; they are logged with their origin, for operators. */
const SUSPICIOUS: ReadonlySet<ErrorCode> = new Set([
  'credential_invalid',
  'cross_site_request',
  'current_password_wrong',
  'sign_in_failed',
]);

/**
 * Returns the error of a request and logs what operators should know: a defect as an error, a failed
 * authentication and a request forged by another site as a warning, without what was presented.
 */
export function logFailure(logger: Logger, error: unknown, request: FailedRequest): AppError {
  const appError = toAppError(error);
  const { method, path, address, requestId } = request;
  const line = { method, path, address, request_id: requestId };
  if (appError.code === 'internal') logger.error({ err: error, ...line }, 'request failed');
  else if (appError.code === 'service_unavailable') logOutage(logger, 'error', { err: error, ...line });
  else if (isDatabaseFull(error)) logOutage(logger, 'error', { err: error, ...line }, FULL_MESSAGE);
  else if (SUSPICIOUS.has(appError.code)) logger.warn({ code: appError.code, ...line }, 'request refused');
  return appError;
}
