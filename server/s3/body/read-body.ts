import type { S3Call } from '../call.ts';
import { requireStillReached } from '../reach-bucket.ts';
import { S3Error } from '../s3-error.ts';
import type { S3Request } from '../s3-request.ts';
import type { Authenticated } from '../signature/authenticate.ts';
import { readContentHead, receiveContent } from './sent-content.ts';

interface SmallBodyOptions {
  isChecksumOfBody?: boolean;
  isChecksumRequired?: boolean;
  takeTurn?: () => Promise<void>;
}

/**
 * Reads a small body completely: XML and nothing else. Everything declared about it is verified as for
 * objects.
 * @param options.isChecksumOfBody false: the x-amz-checksum headers describe something other than this body
 * @param options.isChecksumRequired true: a body is refused unless its MD5 or another checksum comes with it
 * @param options.takeTurn for one that takes several turns
 * @throws MaxMessageLengthExceeded, InvalidRequest, and what receiveContent throws
 */
export async function readSmallBody(
  request: S3Request,
  authenticated: Authenticated,
  bytesMax: number,
  {
    isChecksumOfBody = true,
    isChecksumRequired = false,
    takeTurn = async () => undefined,
  }: SmallBodyOptions = {},
): Promise<string> {
  const head = readContentHead(request, authenticated, { isChecksumOfBody, mayBeWithoutLength: true });
  if ((head.size ?? 0) > bytesMax) throw new S3Error('MaxMessageLengthExceeded');
  const parts: Uint8Array[] = [];
  const receive = async (content: AsyncIterable<Uint8Array>) => {
    let size = 0;
    for await (const bytes of content) {
      size += bytes.byteLength;
      if (size > bytesMax) throw new S3Error('MaxMessageLengthExceeded');
      parts.push(bytes);
    }
    return {
      id: '',
      size,
      content: null,
      keep: async () => undefined,
      discard: async () => undefined,
    };
  };
  await receiveContent({ request, authenticated, takeTurn }, receive, head, null);
  const isChecked = head.md5 !== null || head.algorithm !== null;
  // Of no body at all, S3 says that and nothing else.
  if (isChecksumRequired && !isChecked && parts.length > 0) {
    throw new S3Error(
      'InvalidRequest',
      'Missing required header for this request: Content-MD5 OR x-amz-checksum-*',
    );
  }
  return Buffer.concat(parts).toString('utf8');
}

/**
 * Reads the small body of a change, whose sender must still have the access when all of it has come.
 * @throws AccessDenied, and as readSmallBody
 */
export async function readBodyOfChange(
  call: S3Call,
  bytesMax: number,
  options?: Pick<SmallBodyOptions, 'isChecksumOfBody' | 'isChecksumRequired'>,
): Promise<string> {
  const body = await readSmallBody(call.request, call.authenticated, bytesMax, {
    ...options,
    takeTurn: call.takeTurn,
  });
  // Of many requests, all bodies may have come at once, and each may be long to read.
  await call.takeTurn();
  await requireStillReached(call);
  return body;
}
