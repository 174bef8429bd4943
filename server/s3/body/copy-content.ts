import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { receiverOf, type S3Call } from '../call.ts';
import type { S3Piece } from '../ports.ts';
import { type ChecksumAlgorithm, startChecksum } from './checksums.ts';
import { keptBytes } from './read-pieces.ts';
import type { VerifiedContent } from './sent-content.ts';

/** Writes a part of stored content again, as one piece with its own hashes. */
export async function copyContent(
  call: Pick<S3Call, 'ports' | 'bucket'>,
  pieces: readonly Pick<S3Piece, 'id' | 'size' | 'content'>[],
  { start, length }: { start: number; length: number },
  algorithm: ChecksumAlgorithm | null,
): Promise<VerifiedContent> {
  const md5 = createHash('md5');
  const running = algorithm && startChecksum(algorithm);
  const hashed = async function* () {
    for await (const bytes of keptBytes(call.ports, pieces, { start, length })) {
      md5.update(bytes);
      running?.update(bytes);
      yield bytes;
    }
  };
  const piece = await receiverOf(call)(Readable.from(hashed(), { objectMode: false }), length);
  const value = await running?.digest();
  return {
    piece,
    etag: md5.digest('hex'),
    checksum: algorithm && value !== undefined && value !== '' ? { algorithm, value } : null,
  };
}
