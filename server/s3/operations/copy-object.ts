import { type ChecksumAlgorithm, DEFAULT_CHECKSUM, requireAlgorithm } from '../body/checksums.ts';
import { copyContent } from '../body/copy-content.ts';
import { storeObject, type VerifiedContent } from '../body/store-content.ts';
import type { ObjectCall, S3Response } from '../call.ts';
import { readWriteCondition } from '../fields/conditions.ts';
import { REDIRECT, readObjectHeaders } from '../fields/object-headers.ts';
import type { ObjectHeaders } from '../ports.ts';
import { S3Error } from '../s3-error.ts';
import { S3_LIMITS } from '../s3-limits.ts';
import { headerOf } from '../s3-request.ts';
import { writeXml, xmlTime } from '../xml/write-xml.ts';
import { type CopySource, requireCopySource } from './copy-source.ts';
import { objectChecksumFields } from './xml-fields.ts';

/** CopyObject. */
export async function copyObject(call: ObjectCall): Promise<S3Response> {
  const { request, bucket, key } = call;
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
  const content = await copyPieces(call, source, algorithm);
  const object = await storeObject(call, content, told, condition);
  return {
    status: 200,
    body: writeXml('CopyObjectResult', {
      LastModified: xmlTime(object.modifiedAt),
      ETag: `"${object.etag}"`,
      ...(object.checksum && objectChecksumFields(object.checksum)),
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

/** A single piece is copied by the store; parts are written again as one piece, as in S3. */
async function copyPieces(
  call: ObjectCall,
  { object, pieces }: CopySource,
  named: ChecksumAlgorithm | null,
): Promise<VerifiedContent> {
  const { etag, checksum, size } = object;
  const wanted = named ?? checksum?.algorithm ?? null;
  const [only] = pieces;
  const isSame = (checksum?.algorithm ?? null) === wanted;
  if (only === undefined || object.partCount !== null || !isSame) {
    return copyContent(call, pieces, { start: 0, length: size }, wanted ?? DEFAULT_CHECKSUM);
  }
  const copy = await call.ports.copyPiece(only);
  // A copy is durable at once; one that is given up has no row, and is found and removed later.
  const doNothing = async () => undefined;
  return { piece: { ...copy, size, keep: doNothing, discard: doNothing }, etag, checksum };
}
