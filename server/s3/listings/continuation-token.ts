import { S3Error } from '../s3-error.ts';
import { S3_LIMITS } from '../s3-limits.ts';

/** Returns the name after which a list continues, as a token: only we read it, and clients cannot rely on its content. */
export function writeToken(after: string): string {
  return Buffer.from(after, 'utf8').toString('base64url');
}

/** @throws InvalidArgument for what is no token of ours */
export function readToken(token: string): string {
  const after = Buffer.from(token, 'base64url').toString('utf8');
  if (
    writeToken(after) !== token ||
    Buffer.byteLength(after) > S3_LIMITS.keyBytesMax ||
    after.includes('\0')
  ) {
    throw S3Error.ofArgument('continuation-token', token, 'The continuation token provided is incorrect');
  }
  return after;
}
