import {
  type ContentChecksum,
  checksumHeader,
  DEFAULT_CHECKSUM,
  readChecksumType,
  requireAlgorithm,
} from '../body/checksums.ts';
import { canCombine } from '../body/combine-crc.ts';
import { copyContent } from '../body/copy-content.ts';
import { readContentHead, receiveContent } from '../body/sent-content.ts';
import { storePart } from '../body/store-content.ts';
import { type ObjectCall, receiverOf, type S3Response } from '../call.ts';
import { readObjectHeaders, refuseUnsupported } from '../fields/object-headers.ts';
import { readPartNumber } from '../fields/query-numbers.ts';
import type { S3Upload } from '../ports.ts';
import { S3Error } from '../s3-error.ts';
import { S3_LIMITS } from '../s3-limits.ts';
import { headerOf, queryValue, type S3Request } from '../s3-request.ts';
import { writeXml, xmlTime } from '../xml/write-xml.ts';
import { readCopySource, requireCopySource } from './copy-source.ts';
import { checksumFields } from './xml-fields.ts';

/** CreateMultipartUpload. */
export async function createMultipartUpload({
  request,
  access,
  bucket,
  key,
  ports,
}: ObjectCall): Promise<S3Response> {
  const checksum = readUploadChecksum(request);
  const upload = await ports.createUpload(bucket, access, { key, checksum, ...readObjectHeaders(request) });
  return {
    status: 200,
    headers: {
      ...(checksum && {
        'x-amz-checksum-algorithm': checksum.algorithm,
        'x-amz-checksum-type': checksum.type,
      }),
    },
    body: writeXml('InitiateMultipartUploadResult', { Bucket: bucket.name, Key: key, UploadId: upload.id }),
  };
}

/**
 * The kind of checksum for the whole, by S3's rules for each algorithm.
 * @throws InvalidRequest
 */
function readUploadChecksum(request: S3Request): S3Upload['checksum'] {
  const named = headerOf(request, 'x-amz-checksum-algorithm');
  if (named === null) {
    if (headerOf(request, 'x-amz-checksum-type') === null) return null;
    throw new S3Error(
      'InvalidRequest',
      'The x-amz-checksum-type header can only be used with the x-amz-checksum-algorithm header.',
    );
  }
  const algorithm = requireAlgorithm(named);
  const type = readChecksumType(request) ?? (algorithm === 'CRC64NVME' ? 'FULL_OBJECT' : 'COMPOSITE');
  const isPossible = type === 'FULL_OBJECT' ? canCombine(algorithm) : algorithm !== 'CRC64NVME';
  if (!isPossible) {
    throw new S3Error(
      'InvalidRequest',
      `The ${type} checksum type cannot be used with the ${algorithm.toLowerCase()} checksum algorithm.`,
    );
  }
  return { algorithm, type };
}

/**
 * Returns the upload named in the query.
 * @throws NoSuchUpload
 */
export async function requireUpload({ request, bucket, key, ports }: ObjectCall): Promise<S3Upload> {
  const uploadId = queryValue(request, 'uploadId') ?? '';
  const upload = await ports.findUpload(bucket, key, uploadId);
  if (upload === null) throw noSuchUpload(uploadId);
  return upload;
}

export function noSuchUpload(uploadId: string): S3Error {
  return new S3Error('NoSuchUpload', undefined, { UploadId: uploadId });
}

function partNumberOf({ request }: ObjectCall): number {
  return readPartNumber(queryValue(request, 'partNumber') ?? '');
}

/** UploadPart. */
export async function uploadPart(call: ObjectCall): Promise<S3Response> {
  const { request, authenticated } = call;
  refuseUnsupported(request);
  const partNumber = partNumberOf(call);
  const upload = await requireUpload(call);
  const head = readContentHead(request, authenticated);
  const wanted = upload.checksum?.algorithm ?? null;
  // The checksum of parts' checksums has to be known by the client, which names each of them at the end.
  const mayBeMissing = upload.checksum?.type !== 'COMPOSITE' && head.algorithm === null;
  if (wanted !== null && head.algorithm !== wanted && !mayBeMissing) {
    throw new S3Error(
      'InvalidRequest',
      `Checksum Type mismatch occurred, expected checksum Type: ${wanted.toLowerCase()}, actual checksum Type: ${head.algorithm?.toLowerCase() ?? 'null'}`,
    );
  }
  const content = await receiveContent(call, receiverOf(call), head, wanted ?? DEFAULT_CHECKSUM);
  const piece = await storePart(call, upload, partNumber, content);
  const shown = wanted === null ? content.sent : content.checksum;
  const headers = { etag: `"${piece.etag}"`, ...partChecksum(shown) };
  return { status: 200, headers, receivedBytes: piece.size };
}

/** UploadPartCopy. */
export async function uploadPartCopy(call: ObjectCall): Promise<S3Response> {
  const { request } = call;
  refuseUnsupported(request);
  const partNumber = partNumberOf(call);
  readCopySource(request);
  const upload = await requireUpload(call);
  const { object, pieces } = await requireCopySource(call);
  const span = copyRange(headerOf(request, 'x-amz-copy-source-range'), object.size);
  const { putBytesMax } = S3_LIMITS;
  if (span.length > putBytesMax) throw S3Error.ofSize('EntityTooLarge', span.length, putBytesMax);
  const wanted = upload.checksum?.algorithm ?? null;
  const content = await copyContent(call, pieces, span, wanted ?? DEFAULT_CHECKSUM);
  const piece = await storePart(call, upload, partNumber, content);
  return {
    status: 200,
    body: writeXml('CopyPartResult', {
      LastModified: xmlTime(piece.modifiedAt),
      ETag: `"${piece.etag}"`,
      ...(wanted !== null && content.checksum && checksumFields(content.checksum)),
    }),
  };
}

/** @throws InvalidArgument, InvalidRange */
function copyRange(text: string | null, size: number): { start: number; length: number } {
  if (text === null) return { start: 0, length: size };
  const match = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(text);
  const [first, last] = [Number(match?.[1]), Number(match?.[2])];
  if (match === null || first > last) {
    throw S3Error.ofArgument(
      'x-amz-copy-source-range',
      text,
      'The x-amz-copy-source-range value must be of the form bytes=first-last where first and last are the zero-based offsets of the first and last bytes to copy',
    );
  }
  if (last >= size) {
    throw new S3Error('InvalidRange', `Range specified is not valid for source object of size: ${size}`, {
      RangeRequested: text,
      ActualObjectSize: String(size),
    });
  }
  return { start: first, length: last - first + 1 };
}

function partChecksum(checksum: ContentChecksum | null): Record<string, string> {
  return checksum === null ? {} : { [checksumHeader(checksum.algorithm)]: checksum.value };
}

/** AbortMultipartUpload. */
export async function abortMultipartUpload(call: ObjectCall): Promise<S3Response> {
  const upload = await requireUpload(call);
  requireInitiatedAt(call, upload);
  await call.ports.abortUpload(call.bucket, upload);
  return { status: 204 };
}

/**
 * Requires that the upload began at the time that the client names, if any; a time in the future is ignored.
 * @throws PreconditionFailed
 */
function requireInitiatedAt({ request, now }: ObjectCall, { initiatedAt }: S3Upload): void {
  const wanted = Date.parse(headerOf(request, 'x-amz-if-match-initiated-time') ?? '');
  const isSame = Math.floor(wanted / 1000) === Math.floor(initiatedAt / 1000);
  if (Number.isNaN(wanted) || wanted > now || isSame) return;
  throw new S3Error('PreconditionFailed', undefined, { Condition: 'If-Match-Initiated-Time' });
}
