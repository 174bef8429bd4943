import { createHash } from 'node:crypto';
import type { Receive } from '../call.ts';
import type { ReceivedPiece } from '../ports.ts';
import { S3Error } from '../s3-error.ts';
import { S3_LIMITS } from '../s3-limits.ts';
import { type ChecksumAlgorithm, type ContentChecksum, startChecksum } from './checksums.ts';

/** Content that was received, with its hashes: not durable yet; exactly one of `keep` and `discard` ends it. */
export interface HashedContent {
  readonly piece: ReceivedPiece;
  /** MD5 in hex. */
  readonly etag: string;
  /** In hex; null when it was not asked for. */
  readonly sha256: string | null;
  /** Null when none was asked for, or for content beyond `checksumBytesMax`. */
  readonly checksum: ContentChecksum | null;
}

/**
 * Receives content and calculates its hashes while it arrives.
 * @param options.algorithm of the checksum besides the MD5; null for none
 * @param options.isSha256Wanted whether its sender has signed the SHA-256
 * @param options.checksumBytesMax content beyond this has no checksum
 * @throws EntityTooLarge, and what `receive` throws
 */
export async function receiveHashed(
  receive: Receive,
  content: AsyncIterable<Uint8Array>,
  options: {
    announcedBytes: number | null;
    algorithm: ChecksumAlgorithm | null;
    isSha256Wanted?: boolean;
    bytesMax?: number;
    checksumBytesMax?: number;
  },
): Promise<HashedContent> {
  const { announcedBytes, algorithm, bytesMax = S3_LIMITS.putBytesMax } = options;
  const { checksumBytesMax = Number.POSITIVE_INFINITY, isSha256Wanted = false } = options;
  const md5 = createHash('md5');
  const sha256 = isSha256Wanted ? createHash('sha256') : null;
  let running = algorithm && startChecksum(algorithm);
  let size = 0;
  const hashed = async function* () {
    for await (const bytes of content) {
      size += bytes.byteLength;
      if (size > bytesMax) throw S3Error.ofSize('EntityTooLarge', size, bytesMax);
      if (size > checksumBytesMax) running = null;
      md5.update(bytes);
      sha256?.update(bytes);
      running?.update(bytes);
      yield bytes;
    }
  };
  const piece = await receive(hashed(), announcedBytes);
  const value = await running?.digest();
  const checksum = algorithm === null || value === undefined ? null : { algorithm, value };
  return { piece, etag: md5.digest('hex'), sha256: sha256?.digest('hex') ?? null, checksum };
}
