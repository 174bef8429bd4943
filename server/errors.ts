import { z } from 'zod';
import { describeIssue } from './describe-issue.ts';
import {
  type ErrorCode,
  type ErrorParams,
  type FieldError,
  KIND_OF_CODE,
  STATUS_OF_KIND,
} from './error-codes.ts';
import { describeError } from './error-sentences.ts';
import { FIELD_OF_CODE } from './field-of-code.ts';
import { isOutage } from './outage.ts';

/**
 * The only error that a verb throws on purpose: a code with its parameters. Everything else is a defect and
 * shows as `internal`. Its invalid fields are those given, else the one that the code is always about.
 */
export class AppError extends Error {
  override name = 'AppError';
  readonly code: ErrorCode;
  readonly params: ErrorParams;
  readonly fields: FieldError[];

  constructor(code: ErrorCode, params: ErrorParams = {}, fields?: FieldError[], options?: ErrorOptions) {
    super(describeError(code, params), options);
    this.code = code;
    this.params = params;
    const field = FIELD_OF_CODE[code];
    this.fields = fields ?? (field === undefined ? [] : [{ path: field, message: this.message }]);
  }

  /** The HTTP status of the code's kind. */
  get status(): number {
    return STATUS_OF_KIND[KIND_OF_CODE[this.code]];
  }
}

/** Returns the `invalid_input` for one field or parameter; the message follows its name. */
export function invalidField(path: string, message: string): AppError {
  return new AppError('invalid_input', { reason: `${path}: ${message}` }, [{ path, message }]);
}

/** How long clients should wait before retrying while the database or the object store is down. */
export const OUTAGE_RETRY_SECONDS = 5;

/** Returns the error for a dependency that does not respond: 503 with `Retry-After`. */
export function serviceUnavailable(cause: unknown, seconds = OUTAGE_RETRY_SECONDS): AppError {
  return new AppError('service_unavailable', { seconds }, [], { cause });
}

/** A full disk: the system's, SQLite's and PostgreSQL's. */
const FULL_CODES: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'SQLITE_FULL', '53100']);

/**
 * Returns the AppError for anything thrown: itself, a zod error as `invalid_input`, a full disk, an
 * unavailable dependency as `service_unavailable`, otherwise `internal`.
 */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof z.ZodError) return fromZodError(error);
  if (isNodeError(error) && FULL_CODES.has(error.code ?? '')) {
    return new AppError('storage_full', {}, [], { cause: error });
  }
  if (isOutage(error)) return serviceUnavailable(error);
  // PostgreSQL stores no zero bytes; if a schema lets one through, it is still the request's fault.
  if (isNodeError(error) && error.code === '22021') {
    return new AppError('invalid_input', { reason: 'a text contains characters that cannot be stored' });
  }
  return new AppError('internal', {}, [], { cause: error });
}

/** Returns after how many seconds a refused client may retry, if the error says so (`Retry-After`). */
export function retryAfterOf({ status, params }: AppError): number | null {
  if (status !== 429 && status !== 503) return null;
  return Number(params.seconds ?? (status === 429 ? 1 : OUTAGE_RETRY_SECONDS));
}

function fromZodError(error: z.ZodError): AppError {
  const fields = error.issues.map((issue) => ({ path: issue.path.join('.'), message: describeIssue(issue) }));
  const first = fields[0];
  const reason = first
    ? `${first.path === '' ? 'the body' : `${first.path}:`} ${first.message}`
    : 'it has the wrong form';
  return new AppError('invalid_input', { reason: reason.replace(/\.$/, '') }, fields, { cause: error });
}

/** Whether an error is one of Node's, with a code such as ENOENT. */
export function isNodeError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && typeof error.code === 'string';
}
