import type { S3Error } from '../s3-error.ts';
import { writeXml } from './write-xml.ts';

/**
 * Returns the document of an error.
 * @param path of the request as sent; null where none was read
 */
export function writeError(
  { code, message, details }: Pick<S3Error, 'code' | 'message' | 'details'>,
  { id, path }: { id: string; path: string | null },
): string {
  const fields = { Code: code, Message: message, ...details, Resource: path, RequestId: id, HostId: id };
  // Here S3 leaves quotes as they are, and clients look for its sentences.
  return writeXml('Error', fields, null).replaceAll('&quot;', '"');
}
