import { S3Error } from './s3-error.ts';
import { S3_LIMITS } from './s3-limits.ts';

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
