import { receiverOf, type S3Call } from '../call.ts';
import { S3Error } from '../s3-error.ts';
import type { ChecksumAlgorithm } from './checksums.ts';
import { keptBytes, type PieceList, type Span } from './read-pieces.ts';
import { type HashedContent, receiveHashed } from './receive-hashed.ts';

/**
 * Writes a part of stored content again, as one piece with its own hashes, once its turn has come.
 * @throws SlowDown when too many of the bucket's owner wait; OperationAborted when the client has gone by then
 */
export function copyContent(
  call: Pick<S3Call, 'ports' | 'bucket' | 'request'>,
  pieces: PieceList,
  span: Span,
  algorithm: ChecksumAlgorithm | null,
): Promise<HashedContent> {
  return call.ports.inTurn(call.bucket, async () => {
    if (call.request.body.socket.destroyed) throw new S3Error('OperationAborted');
    const bytes = keptBytes(call.ports, pieces, span);
    return receiveHashed(receiverOf(call), bytes, { announcedBytes: span.length, algorithm });
  });
}
