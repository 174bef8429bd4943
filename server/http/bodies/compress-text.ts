import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { chooseEncoding } from '../../http-fields/negotiate-encoding.ts';

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

/** Shorter text takes a few packets either way. */
const LENGTH_MIN = 16 * 1024;

/** A text to be sent. A long one is encoded once, for its tag, its length and the wire; a short one is written together with its head. */
export type SentText = string | Buffer<ArrayBuffer>;

/** Returns a text in the form in which it is sent. */
export function toSentText(text: string): SentText {
  return text.length < LENGTH_MIN ? text : Buffer.from(text);
}

export interface CompressedText {
  encoding: 'br' | 'gzip';
  bytes: Buffer<ArrayBuffer>;
}

/**
 * Returns a long text compressed as the client accepts it, or null when it must be sent as it is. At the
 * lowest level, lists shrink to a tenth or less in a few milliseconds outside the event loop. Only for
 * answers to reads: a response to a change may contain a secret next to what was sent, and its length would
 * reveal something about it.
 */
export async function compressText(
  text: SentText,
  acceptEncoding: string | null,
): Promise<CompressedText | null> {
  if (acceptEncoding === null || text.length < LENGTH_MIN) return null;
  const encoding = chooseEncoding(acceptEncoding, true, true);
  if (encoding === 'identity') return null;
  const bytes = await (encoding === 'br'
    ? brotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MIN_QUALITY + 1 } })
    : deflate(text, { level: constants.Z_BEST_SPEED }));
  return { encoding, bytes };
}
