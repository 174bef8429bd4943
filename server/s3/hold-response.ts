import { beginBody, isPieceBody } from './body/begin-body.ts';
import type { S3Response } from './call.ts';
import type { HeldMemory } from './memory-shares.ts';
import { S3Error } from './s3-error.ts';

/** What is shorter belongs to what every connection takes. */
const COUNTED_BYTES_MIN = 4 * 1024;
/** What is read of long content at a time: the less, the longer it takes, where others of the same holder leave no room for more. */
const PORTIONS_BYTES = [256 * 1024, 32 * 1024];

/**
 * Counts the memory that a response takes until its client has it, and begins its body.
 * @throws SlowDown when the holder has too much already, and what reading the first bytes throws
 */
export async function holdResponse(
  response: S3Response,
  held: HeldMemory,
  holder: string,
): Promise<S3Response> {
  const { body } = response;
  if (isPieceBody(body)) {
    // While one portion is sent, the next is read.
    const portionBytes = PORTIONS_BYTES.find((bytes) =>
      held.tryToHold(holder, Math.min(2 * bytes, body.length)),
    );
    if (portionBytes === undefined) throw new S3Error('SlowDown');
    return beginBody(response, portionBytes);
  }
  if (body === undefined || body.length < COUNTED_BYTES_MIN) return response;
  held.hold(holder, body.length);
  if (Buffer.isBuffer(body)) return response;
  // The text itself is not needed any more.
  const headers = { 'content-type': 'application/xml', ...response.headers };
  return { ...response, headers, body: Buffer.from(body, 'utf8') };
}
