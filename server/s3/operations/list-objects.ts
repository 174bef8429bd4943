import type { S3Call, S3Response } from '../call.ts';
import { readQueryNumber } from '../fields/query-numbers.ts';
import { readToken, writeToken } from '../listings/continuation-token.ts';
import { type FoldedListing, type FoldedQuery, listFolded } from '../listings/list-folded.ts';
import type { ListedObject } from '../ports.ts';
import { S3Error } from '../s3-error.ts';
import { S3_LIMITS } from '../s3-limits.ts';
import { queryValue, type S3Request } from '../s3-request.ts';
import { uriEncodePath } from '../signature/canonical-request.ts';
import { type WrittenElements, writeInTurns, writeXml, type XmlFields, xmlTime } from '../xml/write-xml.ts';
import { ownerFields } from './xml-fields.ts';

/** ListObjects, the first version. @throws InvalidArgument for a parameter of the second that would change the list */
export async function listObjects(call: S3Call): Promise<S3Response> {
  const { request, bucket } = call;
  const startAfter = queryValue(request, 'start-after');
  // Ignored, it would list what its client has already seen.
  if (startAfter !== null) {
    const message = 'startAfter only supported in REST.GET.BUCKET with list-type=2';
    throw S3Error.ofArgument('start-after', startAfter, message);
  }
  const marker = queryValue(request, 'marker') ?? '';
  const { query, encode, listing } = await listAfter(call, marker, true);
  return {
    status: 200,
    body: writeXml('ListBucketResult', {
      Name: bucket.name,
      Prefix: encode(query.prefix),
      Marker: encode(marker),
      // S3 returns it when there is a delimiter; otherwise it is the last key.
      NextMarker: query.delimiter !== '' && listing.next !== null ? encode(listing.next) : null,
      ...(await commonFields(call, query, listing, encode, true)),
    }),
  };
}

/** ListObjectsV2. */
export async function listObjectsV2(call: S3Call): Promise<S3Response> {
  const { request, bucket } = call;
  const token = queryValue(request, 'continuation-token');
  const startAfter = queryValue(request, 'start-after');
  // Some clients send an empty one with their first page.
  const after = token === null || token === '' ? (startAfter ?? '') : readToken(token);
  const { query, encode, listing } = await listAfter(call, after);
  return {
    status: 200,
    body: writeXml('ListBucketResult', {
      Name: bucket.name,
      Prefix: encode(query.prefix),
      StartAfter: startAfter === null ? null : encode(startAfter),
      ContinuationToken: token,
      NextContinuationToken: listing.next === null ? null : writeToken(listing.next),
      KeyCount: listing.objects.length + listing.prefixes.length,
      ...(await commonFields(call, query, listing, encode, queryValue(request, 'fetch-owner') === 'true')),
    }),
  };
}

/** ListObjectVersions: without versions, each object is its own only version. */
export async function listObjectVersions(call: S3Call): Promise<S3Response> {
  const { request, bucket, access } = call;
  const marker = queryValue(request, 'key-marker') ?? '';
  const versionMarker = queryValue(request, 'version-id-marker') ?? '';
  if (versionMarker !== '' && marker === '') {
    const message = 'A version-id marker cannot be specified without a key marker.';
    throw S3Error.ofArgument('version-id-marker', versionMarker, message);
  }
  const { query, encode, listing } = await listAfter(call, marker, true);
  const Owner = ownerFields(access);
  return {
    status: 200,
    body: writeXml('ListVersionsResult', {
      Name: bucket.name,
      Prefix: encode(query.prefix),
      KeyMarker: encode(marker),
      VersionIdMarker: versionMarker,
      NextKeyMarker: listing.next === null ? null : encode(listing.next),
      NextVersionIdMarker: listing.next === null ? null : 'null',
      ...pageFields(request, query, listing, encode),
      Version: await writeInTurns(
        'Version',
        listing.objects.map((object) => ({
          ...objectFields(object, encode),
          VersionId: 'null',
          IsLatest: true,
          Owner,
        })),
        call.takeTurn,
      ),
      CommonPrefixes: await writePrefixes(call, listing, encode),
    }),
  };
}

/** The common part of every list: its query, how names are encoded, and what is listed after a name. */
async function listAfter(call: S3Call, after: string, isFolderOfAfterListed = false) {
  const query: FoldedQuery = { ...readQuery(call.request), after, isFolderOfAfterListed };
  const encode = encodingOf(call.request);
  return { query, encode, listing: await listFolded(call.ports, call.bucket, query) };
}

function readQuery(request: S3Request): Omit<FoldedQuery, 'after'> {
  return {
    prefix: queryValue(request, 'prefix') ?? '',
    delimiter: queryValue(request, 'delimiter') ?? '',
    max: readQueryNumber(request, 'max-keys', S3_LIMITS.listKeysMax, S3_LIMITS.listKeysMax),
  };
}

/** @throws InvalidArgument */
export function encodingOf(request: S3Request): (text: string) => string {
  const type = queryValue(request, 'encoding-type');
  if (type === null) return (text) => text;
  if (type.toLowerCase() !== 'url')
    throw S3Error.ofArgument('encoding-type', type, 'Invalid Encoding Method specified in Request');
  return uriEncodePath;
}

/** The paging fields of every kind of list. */
function pageFields(
  request: S3Request,
  query: FoldedQuery,
  listing: FoldedListing,
  encode: (text: string) => string,
): XmlFields {
  return {
    MaxKeys: query.max,
    Delimiter: query.delimiter === '' ? null : encode(query.delimiter),
    EncodingType: queryValue(request, 'encoding-type'),
    IsTruncated: listing.next !== null,
  };
}

async function commonFields(
  call: S3Call,
  query: FoldedQuery,
  listing: FoldedListing,
  encode: (text: string) => string,
  hasOwner: boolean,
): Promise<XmlFields> {
  const Owner = ownerFields(call.access);
  const contents = listing.objects.map((object) => ({
    ...objectFields(object, encode),
    ...(hasOwner && { Owner }),
  }));
  return {
    ...pageFields(call.request, query, listing, encode),
    Contents: await writeInTurns('Contents', contents, call.takeTurn),
    CommonPrefixes: await writePrefixes(call, listing, encode),
  };
}

function writePrefixes(
  { takeTurn }: S3Call,
  { prefixes }: FoldedListing,
  encode: (text: string) => string,
): Promise<WrittenElements> {
  const written = prefixes.map((prefix) => ({ Prefix: encode(prefix) }));
  return writeInTurns('CommonPrefixes', written, takeTurn);
}

function objectFields(
  { key, modifiedAt, etag, size, checksum }: ListedObject,
  encode: (text: string) => string,
): XmlFields {
  return {
    Key: encode(key),
    LastModified: xmlTime(modifiedAt),
    ETag: `"${etag}"`,
    ChecksumAlgorithm: checksum?.algorithm,
    ChecksumType: checksum?.type,
    Size: size,
    StorageClass: 'STANDARD',
  };
}
