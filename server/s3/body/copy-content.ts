import { receiverOf, type S3Call } from '../call.ts';
import { S3Error } from '../s3-error.ts';
import type { ChecksumAlgorithm } from './checksums.ts';
import { keptBytes, type PieceList, type Span } from './read-pieces.ts';
import { receiveHashed } from './receive-hashed.ts';
import type { VerifiedContent } from './store-content.ts';

/**
 * Writes a part of stored content again, as one piece with its own hashes, once its turn has come.
 * @throws SlowDown when too many of the bucket's owner wait; OperationAborted when the client has gone by then
 */
export function copyContent(
  call: Pick<S3Call, 'ports' | 'bucket' | 'request'>,
  pieces: PieceList,
  span: Span,
  algorithm: ChecksumAlgorithm,
): Promise<VerifiedContent> {
  return call.ports.inTurn(call.bucket, async () => {
    if (call.request.body.socket.destroyed) throw new S3Error('OperationAborted');
    const bytes = keptBytes(call.ports, pieces, span);
    const told = { announcedBytes: span.length, algorithms: [algorithm] };
    const { piece, etag, checksums } = await receiveHashed(receiverOf(call), bytes, told);
    return { piece, etag, checksum: checksums[0] ?? null };
  });
}
