import { beginBody, isPieceBody } from './body/begin-body.ts';
import type { S3Response } from './call.ts';
import type { HeldMemory, MemoryHolder } from './memory-shares.ts';

/** What is shorter belongs to what every connection takes. */
const COUNTED_BYTES_MIN = 4 * 1024;
/** What is read of long content at a time: less takes longer. */
const PORTIONS_BYTES = [256 * 1024, 64 * 1024];
const SMALLEST_PORTION_BYTES = 16 * 1024;
/** One response takes at most this part of its holder's room, unless that is less than the smallest portions. */
const PART_OF_ROOM = 64;

/**
 * Counts the memory that a response takes until its client has it, and begins its body.
 * @throws SlowDown when the holder has too much already, and what reading the first bytes throws
 */
export async function holdResponse(
  response: S3Response,
  held: HeldMemory,
  holder: MemoryHolder,
): Promise<S3Response> {
  const { body } = response;
  if (isPieceBody(body)) {
    // While one portion is sent, the next is read.
    const bytesMax = holder.shares.roomOf(holder.name) / PART_OF_ROOM;
    const portionBytes = PORTIONS_BYTES.find((bytes) => 2 * bytes <= bytesMax) ?? SMALLEST_PORTION_BYTES;
    held.hold(holder, Math.min(2 * portionBytes, body.length));
    return beginBody(response, portionBytes);
  }
  if (body === undefined || body.length < COUNTED_BYTES_MIN) return response;
  held.hold(holder, body.length);
  if (Buffer.isBuffer(body)) return response;
  // The text itself is not needed any more.
  const headers = { 'content-type': 'application/xml', ...response.headers };
  return { ...response, headers, body: Buffer.from(body, 'utf8') };
}
