import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { receiverOf, type S3Call } from '../call.ts';
import type { S3Piece } from '../ports.ts';
import { S3Error } from '../s3-error.ts';
import { type ChecksumAlgorithm, startChecksum } from './checksums.ts';
import { keptBytes } from './read-pieces.ts';
import type { VerifiedContent } from './sent-content.ts';

type CopyCall = Pick<S3Call, 'ports' | 'bucket' | 'request'>;

/**
 * Writes a part of stored content again, as one piece with its own hashes, once its turn has come.
 * @throws SlowDown when too many of the bucket's owner wait; OperationAborted when the client has gone by then
 */
export function copyContent(
  call: CopyCall,
  ...what: [
    pieces: readonly Pick<S3Piece, 'id' | 'size' | 'content'>[],
    span: { start: number; length: number },
    algorithm: ChecksumAlgorithm | null,
  ]
): Promise<VerifiedContent> {
  return call.ports.inTurn(call.bucket, async () => {
    if (call.request.body.socket.destroyed) throw new S3Error('OperationAborted');
    return writeAgain(call, ...what);
  });
}

async function writeAgain(
  call: CopyCall,
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
