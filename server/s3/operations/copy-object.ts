import { type ChecksumAlgorithm, requireAlgorithm } from '../body/checksums.ts';
import { copyContent } from '../body/copy-content.ts';
import { headerOf, nameOf, type ObjectCall, type S3Answer } from '../call.ts';
import { readWriteCondition } from '../conditions.ts';
import { REDIRECT, readObjectHeaders } from '../object-headers.ts';
import type { NewObject, ObjectHeaders, S3Object, S3Piece } from '../ports.ts';
import { S3Error } from '../s3-error.ts';
import { S3_LIMITS } from '../s3-limits.ts';
import { writeXml, xmlTime } from '../xml/write-xml.ts';
import { type CopySource, requireCopySource } from './copy-source.ts';

/** CopyObject. */
export async function copyObject(call: ObjectCall): Promise<S3Answer> {
  const { request, bucket, key, ports } = call;
  const sent = readObjectHeaders(request);
  const condition = readWriteCondition(request);
  const named = headerOf(request, 'x-amz-checksum-algorithm');
  const algorithm = named === null ? null : requireAlgorithm(named);
  const directives = {
    metadata: directiveOf(call, 'x-amz-metadata-directive'),
    tagging: directiveOf(call, 'x-amz-tagging-directive'),
  };
  const source = await requireCopySource(call);
  const isItself = source.bucket.id === bucket.id && source.object.key === key;
  const isUnchanged =
    directives.metadata === 'COPY' &&
    directives.tagging === 'COPY' &&
    sent.headers[REDIRECT] === undefined &&
    headerOf(request, 'x-amz-storage-class') === null;
  if (isItself && condition.kind === 'absent') {
    throw new S3Error('PreconditionFailed', undefined, { Condition: 'If-None-Match' });
  }
  if (isItself && isUnchanged) {
    throw new S3Error(
      'InvalidRequest',
      "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.",
    );
  }
  if (source.object.size > S3_LIMITS.putBytesMax) {
    throw new S3Error(
      'InvalidRequest',
      `The specified copy source is larger than the maximum allowable size for a copy source: ${S3_LIMITS.putBytesMax}`,
    );
  }
  const from = directives.metadata === 'COPY' ? source.object : sent;
  const told: ObjectHeaders = {
    headers: withRedirectOf(sent, from),
    metadata: from.metadata,
    tags: directives.tagging === 'COPY' ? source.object.tags : sent.tags,
  };
  const { piece, discard } = await copyPieces(call, source, algorithm);
  let object: S3Object;
  try {
    const checksum: NewObject['checksum'] = piece.checksum && { ...piece.checksum, type: 'FULL_OBJECT' };
    object = await ports.putObject(
      bucket,
      { key, etag: piece.etag, checksum, ...told },
      { ...piece, checksum: piece.checksum?.value ?? null },
      condition,
    );
  } catch (error) {
    await discard();
    throw error;
  }
  return {
    status: 200,
    body: writeXml('CopyObjectResult', {
      LastModified: xmlTime(object.modifiedAt),
      ETag: `"${object.etag}"`,
      ...(object.checksum && {
        [`Checksum${object.checksum.algorithm}`]: object.checksum.value,
        ChecksumType: object.checksum.type,
      }),
    }),
  };
}

/** Where a website leads is not copied: only the request says it. */
function withRedirectOf(sent: ObjectHeaders, { headers }: ObjectHeaders): ObjectHeaders['headers'] {
  const { [REDIRECT]: _, ...rest } = headers;
  const { [REDIRECT]: location } = sent.headers;
  return location === undefined ? rest : { ...rest, [REDIRECT]: location };
}

/** @throws InvalidArgument */
function directiveOf({ request }: ObjectCall, name: string): 'COPY' | 'REPLACE' {
  const directive = headerOf(request, name) ?? 'COPY';
  if (directive !== 'COPY' && directive !== 'REPLACE') {
    throw S3Error.ofArgument(name, directive, `Unknown ${name.slice('x-amz-'.length).replace('-', ' ')}.`);
  }
  return directive;
}

interface CopiedPiece extends Pick<S3Piece, 'id' | 'size' | 'content' | 'etag'> {
  checksum: { algorithm: ChecksumAlgorithm; value: string } | null;
}

/** A single piece is copied by the store; parts are written again as one piece, as in S3. */
async function copyPieces(
  call: ObjectCall,
  { object, pieces }: CopySource,
  named: ChecksumAlgorithm | null,
): Promise<{ piece: CopiedPiece; discard(): Promise<void> }> {
  const wanted = named ?? object.checksum?.algorithm ?? null;
  const [only] = pieces;
  const isSame = (object.checksum?.algorithm ?? null) === wanted;
  if (only !== undefined && object.partCount === null && isSame) {
    const copy = await call.ports.copyPiece(only);
    const piece = { ...copy, size: only.size, etag: object.etag, checksum: object.checksum };
    // Nothing references the copy: an unreferenced piece is found and removed later.
    return { piece, discard: async () => undefined };
  }
  const copied = await copyContent(call, pieces, { start: 0, length: object.size }, wanted);
  try {
    await copied.piece.keep();
  } catch (error) {
    await copied.piece.discard();
    throw error;
  }
  return {
    piece: { ...nameOf(copied.piece), etag: copied.etag, checksum: copied.checksum },
    discard: () => copied.piece.discard(),
  };
}
