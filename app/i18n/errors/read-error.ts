import type { ErrorShape } from '#server/error-codes.ts';
import { CallError } from '../../call-error.ts';

/**
 * Returns our error inside anything a tRPC call threw, or null when it contains none (the network failed).
 */
export function readError(error: unknown): ErrorShape | null {
  if (error instanceof CallError && error.data?.error) return error.data.error;
  if (error instanceof ApiError) return error.shape;
  return null;
}

/** A failed call of `/api/v1` or of a form endpoint, with the problem document's code. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly shape: ErrorShape;
  readonly status: number;
  /** Use `apiErrorOf`, which sets the status of each code. */
  constructor(shape: ErrorShape, status: number) {
    super(shape.message);
    this.shape = shape;
    this.status = status;
  }
}

/** The HTTP status of our error: every page reads it, and the table of all codes is too long for the first one. */
function statusOf(error: unknown): number | null {
  if (error instanceof ApiError) return error.status;
  if (error instanceof CallError) return error.data?.httpStatus ?? null;
  return null;
}

/** Whether retrying may help: a network failure, an outage or a defect of ours, not a refusal. */
export function isRetriable(error: unknown): boolean {
  const known = readError(error);
  return known === null || known.code === 'service_unavailable' || known.code === 'internal';
}

/** Whether there was no response at all; a foreign response, such as a proxy's page, counts as one. */
export function isUnreachable(error: unknown): boolean {
  if (readError(error) !== null) return false;
  return !(error instanceof CallError && error.isAnswered);
}

/** Returns the text or the status of a failed response that is not ours, such as a proxy's; null for every other error. */
export function foreignTextOf(error: unknown): string | null {
  return error instanceof CallError && error.isAnswered ? error.foreignText : null;
}

/** Whether the call was refused because the visitor is not signed in. */
export function isUnauthenticated(error: unknown): boolean {
  return statusOf(error) === 401;
}

/** Whether the session is over, or there never was one: not that a password or a key is wrong. */
export function isSignedOut(error: unknown): boolean {
  return readError(error)?.code === 'unauthenticated';
}

/** Whether the requested thing does not exist (or is not ours). */
export function isNotFound(error: unknown): boolean {
  return statusOf(error) === 404;
}

/**
 * Whether the thing that an address names does not exist, or cannot: what has not the form of an id (400) names nothing. Only for
 * calls whose input is the address.
 */
export function isAbsent(error: unknown): boolean {
  return isNotFound(error) || statusOf(error) === 400;
}
