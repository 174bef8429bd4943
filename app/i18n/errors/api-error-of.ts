import { type ErrorShape, KIND_OF_CODE, STATUS_OF_KIND } from '#server/error-codes.ts';
import { ApiError } from './read-error.ts';

/** Returns the error to throw for one that a problem document or the console itself names. */
export function apiErrorOf(shape: ErrorShape): ApiError {
  return new ApiError(shape, STATUS_OF_KIND[KIND_OF_CODE[shape.code]]);
}
