import type { S3Call } from '../call.ts';
import { requireStillReached } from '../reach-bucket.ts';
import { S3Error } from '../s3-error.ts';
import { readContentHead, receiveContent } from './sent-content.ts';

/** What a document takes for each byte of it: as it comes, as a whole, and as text of up to two bytes a character. */
const DOCUMENT_FACTOR = 4;

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
 * @throws MaxMessageLengthExceeded, InvalidRequest, SlowDown, and what receiveContent throws
 */
export async function readSmallBody(
  { request, authenticated, hold }: Pick<S3Call, 'request' | 'authenticated' | 'hold'>,
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
      hold(DOCUMENT_FACTOR * bytes.byteLength);
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
  await receiveContent({ request, authenticated, takeTurn, hold }, receive, head, null);
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
  const body = await readSmallBody(call, bytesMax, {
    ...options,
    takeTurn: call.takeTurn,
  });
  // Of many requests, all bodies may have come at once, and each may be long to read.
  await call.takeTurn();
  await requireStillReached(call);
  return body;
}
