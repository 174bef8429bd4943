import { createHash } from 'node:crypto';
import type { Receive } from '../call.ts';
import type { ReceivedPiece } from '../ports.ts';
import { S3Error } from '../s3-error.ts';
import { S3_LIMITS } from '../s3-limits.ts';
import { type ChecksumAlgorithm, type ContentChecksum, startChecksum } from './checksums.ts';

/** Content that was received, with the hashes that were asked for: not durable yet; exactly one of `keep` and `discard` ends it. */
export interface HashedContent {
  readonly piece: ReceivedPiece;
  /** MD5 in hex. */
  readonly etag: string;
  /** In hex; null when it was not asked for. */
  readonly sha256: string | null;
  readonly checksums: readonly ContentChecksum[];
}

/**
 * Receives content and calculates its hashes while it arrives.
 * @param options.algorithms of the checksums besides the MD5
 * @param options.isSha256Wanted whether its sender has signed the SHA-256
 * @throws EntityTooLarge, and what `receive` throws
 */
export async function receiveHashed(
  receive: Receive,
  content: AsyncIterable<Uint8Array>,
  options: {
    announcedBytes: number | null;
    algorithms: readonly ChecksumAlgorithm[];
    isSha256Wanted?: boolean;
    bytesMax?: number;
  },
): Promise<HashedContent> {
  const { announcedBytes, algorithms, isSha256Wanted = false, bytesMax = S3_LIMITS.putBytesMax } = options;
  const md5 = createHash('md5');
  const sha256 = isSha256Wanted ? createHash('sha256') : null;
  const running = algorithms.map((algorithm) => ({ algorithm, sum: startChecksum(algorithm) }));
  let size = 0;
  const hashed = async function* () {
    for await (const bytes of content) {
      size += bytes.byteLength;
      if (size > bytesMax) throw S3Error.ofSize('EntityTooLarge', size, bytesMax);
      md5.update(bytes);
      sha256?.update(bytes);
      for (const { sum } of running) sum.update(bytes);
      yield bytes;
    }
  };
  const piece = await receive(hashed(), announcedBytes);
  const checksums = await Promise.all(
    running.map(async ({ algorithm, sum }) => ({ algorithm, value: await sum.digest() })),
  );
  return { piece, etag: md5.digest('hex'), sha256: sha256?.digest('hex') ?? null, checksums };
}
