import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { chooseEncoding } from '../edge/negotiate-encoding.ts';

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

/** What is shorter goes out in a few packets either way. */
const CHARACTERS_MIN = 16 * 1024;

export interface CompressedText {
  encoding: 'br' | 'gzip';
  bytes: Buffer<ArrayBuffer>;
}

/**
 * Returns a long text compressed as whoever asks would take it, or null where it is to be sent as it is. At the lowest level, lists
 * become a tenth or less in a few milliseconds outside the loop. For answers to reads only: those to changes may hold a secret beside
 * what was sent, which the length would tell something of.
 */
export async function compressText(
  text: string,
  acceptEncoding: string | null,
): Promise<CompressedText | null> {
  if (acceptEncoding === null || text.length < CHARACTERS_MIN) return null;
  const encoding = chooseEncoding(acceptEncoding, true, true);
  if (encoding === 'identity') return null;
  const bytes = await (encoding === 'br'
    ? brotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MIN_QUALITY + 1 } })
    : deflate(text, { level: constants.Z_BEST_SPEED }));
  return { encoding, bytes };
}
