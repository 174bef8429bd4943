import { S3Error } from '../s3-error.ts';
import { S3_LIMITS } from '../s3-limits.ts';
import { headerOf, queryValue, type S3Request } from '../s3-request.ts';

/** The largest number that S3 reads. */
const INTEGER_MAX = 2 ** 31 - 1;

/**
 * Returns an integer of the query, at most `max`.
 * @throws InvalidArgument
 */
export function readQueryNumber(request: S3Request, name: string, fallback: number, max: number): number {
  return readNumber(name, queryValue(request, name), fallback, max);
}

/** The same for one in a header. */
export function readHeaderNumber(request: S3Request, name: string, fallback: number, max: number): number {
  return readNumber(name, headerOf(request, name), fallback, max);
}

function readNumber(name: string, text: string | null, fallback: number, max: number): number {
  if (text === null || text === '') return fallback;
  if (/^-\d{1,10}$/.test(text)) {
    throw S3Error.ofArgument(name, text, `Argument ${name} must be an integer between 0 and ${INTEGER_MAX}`);
  }
  if (!/^\d{1,10}$/.test(text) || Number(text) > INTEGER_MAX) {
    throw S3Error.ofArgument(name, text, `Provided ${name} not an integer or within integer range`);
  }
  return Math.min(Number(text), max);
}

/**
 * Returns the number of a part, as a query names it.
 * @throws InvalidArgument
 */
export function readPartNumber(text: string): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= S3_LIMITS.partNumberMax) return number;
  throw S3Error.ofArgument(
    'partNumber',
    text,
    `Part number must be an integer between 1 and ${S3_LIMITS.partNumberMax}, inclusive`,
  );
}
