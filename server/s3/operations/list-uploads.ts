import type { ObjectCall, S3Call, S3Response } from '../call.ts';
import { readQueryNumber } from '../fields/query-numbers.ts';
import { listFoldedUploads } from '../listings/list-folded-uploads.ts';
import type { S3Piece } from '../ports.ts';
import { S3Error } from '../s3-error.ts';
import { S3_LIMITS } from '../s3-limits.ts';
import { queryValue } from '../s3-request.ts';
import { WrittenElements, writeXml, xmlTime } from '../xml/write-xml.ts';
import { encodingOf } from './list-objects.ts';
import { requireUpload } from './uploads.ts';
import { ownerFields } from './xml-fields.ts';

/** The form of the ids that uploads are given. */
const UPLOAD_ID = /^[0-9a-z]{26}$/;

/** ListParts. */
export async function listParts(call: ObjectCall): Promise<S3Response> {
  const { request, access, bucket, key, ports } = call;
  const upload = await requireUpload(call);
  const max = readQueryNumber(request, 'max-parts', S3_LIMITS.listKeysMax, S3_LIMITS.listKeysMax);
  const after = readQueryNumber(request, 'part-number-marker', 0, S3_LIMITS.partNumberMax);
  const found = await ports.listParts(bucket, upload.id, { after, limit: max + 1 });
  const parts = found.slice(0, max);
  const owner = ownerFields(access);
  const algorithm = upload.checksum?.algorithm;
  return {
    status: 200,
    body: writeXml('ListPartsResult', {
      Bucket: bucket.name,
      Key: key,
      UploadId: upload.id,
      Initiator: owner,
      Owner: owner,
      StorageClass: 'STANDARD',
      PartNumberMarker: after,
      NextPartNumberMarker: parts.at(-1)?.partNumber ?? 0,
      MaxParts: max,
      IsTruncated: found.length > parts.length,
      ChecksumAlgorithm: algorithm,
      ChecksumType: upload.checksum?.type,
      Part: writeParts(parts, algorithm === undefined ? null : `Checksum${algorithm}`),
    }),
  };
}

/** Numbers, hex and base64 have nothing to escape. */
function writeParts(parts: readonly S3Piece[], checksumName: string | null): WrittenElements {
  let xml = '';
  for (const { partNumber, modifiedAt, etag, size, checksum } of parts) {
    xml += `<Part><PartNumber>${partNumber}</PartNumber><LastModified>${xmlTime(modifiedAt)}</LastModified>`;
    xml += `<ETag>&quot;${etag}&quot;</ETag><Size>${size}</Size>`;
    if (checksumName !== null && checksum !== null) xml += `<${checksumName}>${checksum}</${checksumName}>`;
    xml += '</Part>';
  }
  return new WrittenElements(xml);
}

/** ListMultipartUploads. */
export async function listMultipartUploads({ request, access, bucket, ports }: S3Call): Promise<S3Response> {
  const prefix = queryValue(request, 'prefix') ?? '';
  const delimiter = queryValue(request, 'delimiter') ?? '';
  const max = readQueryNumber(request, 'max-uploads', S3_LIMITS.listKeysMax, S3_LIMITS.listKeysMax);
  const keyMarker = queryValue(request, 'key-marker') ?? '';
  // An id without its key means nothing.
  const idMarker = keyMarker === '' ? '' : (queryValue(request, 'upload-id-marker') ?? '');
  if (idMarker !== '' && !UPLOAD_ID.test(idMarker)) {
    throw S3Error.ofArgument('upload-id-marker', idMarker, 'Invalid uploadId marker');
  }
  const encode = encodingOf(request);
  const query = { prefix, delimiter, keyMarker, idMarker, max };
  const { uploads, prefixes, next } = await listFoldedUploads(ports, bucket, query);
  const owner = ownerFields(access);
  // S3 names the last upload of a page even when nothing follows it.
  const last = next ?? uploads.at(-1);
  return {
    status: 200,
    body: writeXml('ListMultipartUploadsResult', {
      Bucket: bucket.name,
      KeyMarker: encode(keyMarker),
      UploadIdMarker: idMarker,
      NextKeyMarker: encode(last?.key ?? ''),
      NextUploadIdMarker: last?.id ?? '',
      Prefix: prefix === '' ? null : encode(prefix),
      Delimiter: delimiter === '' ? null : encode(delimiter),
      EncodingType: queryValue(request, 'encoding-type'),
      MaxUploads: max,
      IsTruncated: next !== null,
      Upload: uploads.map((upload) => ({
        Key: encode(upload.key),
        UploadId: upload.id,
        Initiator: owner,
        Owner: owner,
        StorageClass: 'STANDARD',
        Initiated: xmlTime(upload.initiatedAt),
        ChecksumAlgorithm: upload.checksum?.algorithm,
        ChecksumType: upload.checksum?.type,
      })),
      CommonPrefixes: prefixes.map((each) => ({ Prefix: encode(each) })),
    }),
  };
}
