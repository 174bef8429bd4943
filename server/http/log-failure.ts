import type { ErrorCode } from '../error-codes.ts';
import { type AppError, toAppError } from '../errors.ts';
import type { Logger } from '../logging/logger.ts';

/** The message of every request that met an outage; it is no defect of ours. */
export const OUTAGE_MESSAGE = 'something this service depends on does not answer';

/** The request that failed. Its path has no query: what somebody sends there by mistake stays out of the log. */
export interface FailedRequest {
  method: string;
  path: string;
  address: string;
  request_id: string;
}

/** What somebody who tries doors causes; an operator wants to see it, and from where. */
const SUSPICIOUS: ReadonlySet<ErrorCode> = new Set([
  'credential_invalid',
  'cross_site_request',
  'current_password_wrong',
  'sign_in_failed',
]);

/**
 * Returns the error of a request and logs what operators should know of: a defect as an error, a failed authentication
 * and a request forged by another site as a warning, without what was presented.
 */
export function logFailure(logger: Logger, error: unknown, request: FailedRequest): AppError {
  const appError = toAppError(error);
  if (appError.code === 'internal') logger.error({ err: error, ...request }, 'request failed');
  else if (appError.code === 'service_unavailable') logger.error({ err: error, ...request }, OUTAGE_MESSAGE);
  else if (SUSPICIOUS.has(appError.code)) logger.warn({ code: appError.code, ...request }, 'request refused');
  return appError;
}
