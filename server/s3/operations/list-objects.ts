import { numberOf, queryValue, type S3Answer, type S3Call } from '../call.ts';
import type { ListedObject } from '../ports.ts';
import { S3Error } from '../s3-error.ts';
import { S3_LIMITS } from '../s3-limits.ts';
import type { S3Request } from '../s3-request.ts';
import { uriEncode } from '../signature/canonical-request.ts';
import { writeXml, type XmlFields, xmlTime } from '../xml/write-xml.ts';

/** Rows that are read at once while folders are skipped. */
const BATCH = 1_001;
const BATCH_MIN = 8;

interface ListQuery {
  readonly prefix: string;
  readonly delimiter: string;
  readonly after: string;
  readonly max: number;
}

interface Listing {
  readonly objects: readonly ListedObject[];
  readonly prefixes: readonly string[];
  /** The last name that is listed, key or prefix; null when nothing follows it. */
  readonly next: string | null;
}

/** ListObjects, the first version. */
export async function listObjects(call: S3Call): Promise<S3Answer> {
  const { request, bucket } = call;
  const marker = queryValue(request, 'marker') ?? '';
  const { query, encode, listing } = await listAfter(call, marker);
  return {
    status: 200,
    body: writeXml('ListBucketResult', {
      Name: bucket.name,
      Prefix: encode(query.prefix),
      Marker: encode(marker),
      // S3 names it where there is a delimiter; elsewhere it is the last key.
      NextMarker: query.delimiter !== '' && listing.next !== null ? encode(listing.next) : null,
      ...commonFields(call, query, listing, encode, true),
    }),
  };
}

/** ListObjectsV2. */
export async function listObjectsV2(call: S3Call): Promise<S3Answer> {
  const { request, bucket } = call;
  // Some clients send an empty one with their first page.
  const token = queryValue(request, 'continuation-token') || null;
  const startAfter = queryValue(request, 'start-after');
  const after = token === null ? (startAfter ?? '') : readToken(token);
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
      ...commonFields(call, query, listing, encode, queryValue(request, 'fetch-owner') === 'true'),
    }),
  };
}

/** ListObjectVersions: of a bucket without versions, each object is its only one. */
export async function listObjectVersions(call: S3Call): Promise<S3Answer> {
  const { request, bucket, access } = call;
  const marker = queryValue(request, 'key-marker') ?? '';
  const { query, encode, listing } = await listAfter(call, marker);
  return {
    status: 200,
    body: writeXml('ListVersionsResult', {
      Name: bucket.name,
      Prefix: encode(query.prefix),
      KeyMarker: encode(marker),
      VersionIdMarker: queryValue(request, 'version-id-marker') ?? '',
      NextKeyMarker: listing.next === null ? null : encode(listing.next),
      NextVersionIdMarker: listing.next === null ? null : 'null',
      ...pageFields(request, query, listing, encode),
      Version: listing.objects.map((object) => ({
        ...objectFields(object, encode),
        VersionId: 'null',
        IsLatest: true,
        Owner: { ID: access.ownerId, DisplayName: access.ownerName },
      })),
      CommonPrefixes: listing.prefixes.map((prefix) => ({ Prefix: encode(prefix) })),
    }),
  };
}

/** What every kind of list begins with: its query, how names are written, and what is listed after a name. */
async function listAfter(call: S3Call, after: string) {
  const query: ListQuery = { ...readQuery(call.request), after };
  const encode = encodingOf(call.request);
  return { query, encode, listing: await list(call, query) };
}

function readQuery(request: S3Request): Omit<ListQuery, 'after'> {
  return {
    prefix: queryValue(request, 'prefix') ?? '',
    delimiter: queryValue(request, 'delimiter') ?? '',
    max: numberOf(request, 'max-keys', S3_LIMITS.listKeysMax, S3_LIMITS.listKeysMax),
  };
}

/** @throws InvalidArgument */
export function encodingOf(request: S3Request): (text: string) => string {
  const type = queryValue(request, 'encoding-type');
  if (type === null) return (text) => text;
  if (type.toLowerCase() !== 'url')
    throw new S3Error('InvalidArgument', 'Invalid Encoding Method specified in Request');
  return (text) => text.split('/').map(uriEncode).join('/');
}

/** Nobody reads tokens but us; that they are not keys is nobody's business to rely on. */
function writeToken(after: string): string {
  return Buffer.from(after, 'utf8').toString('base64url');
}

function readToken(token: string): string {
  const after = Buffer.from(token, 'base64url').toString('utf8');
  if (
    writeToken(after) !== token ||
    Buffer.byteLength(after) > S3_LIMITS.keyBytesMax ||
    after.includes('\0')
  ) {
    throw new S3Error('InvalidArgument', 'The continuation token provided is incorrect');
  }
  return after;
}

/** Lists keys and folds those that share a prefix up to the delimiter, jumping over what is folded. */
async function list(
  { ports, bucket }: S3Call,
  { prefix, delimiter, after, max }: ListQuery,
): Promise<Listing> {
  const objects: ListedObject[] = [];
  const prefixes: string[] = [];
  if (max === 0) return { objects, prefixes, next: null };
  const foldOf = (key: string): string | null => {
    if (delimiter === '') return null;
    const at = key.indexOf(delimiter, prefix.length);
    return at === -1 ? null : key.slice(0, at + delimiter.length);
  };
  // A page that ended with a folder goes on behind all of it.
  let folded = after.startsWith(prefix) ? foldOf(after) : null;
  if (folded !== after) folded = null;
  let position = folded === null ? { after, isAfterIncluded: false } : behind(folded);
  let last: string | null = null;
  let batch = BATCH;
  for (;;) {
    const wanted = max - objects.length - prefixes.length + 1;
    const limit = Math.min(batch, wanted);
    const rows = await ports.listObjects(bucket.id, { prefix, ...position, limit });
    for (const row of rows) {
      const fold = foldOf(row.key);
      if (fold !== null && fold === folded) continue;
      if (objects.length + prefixes.length === max) return { objects, prefixes, next: last };
      last = fold ?? row.key;
      if (fold === null) objects.push(row);
      else {
        prefixes.push(fold);
        folded = fold;
      }
    }
    const end = rows.at(-1)?.key;
    if (end === undefined || rows.length < limit) return { objects, prefixes, next: null };
    // Of a large folder no more is read than shows that it is one; of many small ones, many at once.
    const isInFolder = folded !== null && foldOf(end) === folded;
    position = isInFolder && folded !== null ? behind(folded) : { after: end, isAfterIncluded: false };
    batch = isInFolder ? Math.max(BATCH_MIN, Math.floor(batch / 4)) : Math.min(BATCH, batch * 4);
  }
}

/** The place behind everything that begins with a prefix; what begins with U+10FFFF after it is passed over by the loop. */
function behind(prefix: string): { after: string; isAfterIncluded: boolean } {
  return { after: `${prefix}\u{10ffff}`, isAfterIncluded: false };
}

/** Which page of what it is, in every kind of list. */
function pageFields(
  request: S3Request,
  query: ListQuery,
  listing: Listing,
  encode: (text: string) => string,
): XmlFields {
  return {
    MaxKeys: query.max,
    Delimiter: query.delimiter === '' ? null : encode(query.delimiter),
    EncodingType: queryValue(request, 'encoding-type'),
    IsTruncated: listing.next !== null,
  };
}

function commonFields(
  { request, access }: S3Call,
  query: ListQuery,
  listing: Listing,
  encode: (text: string) => string,
  hasOwner: boolean,
): XmlFields {
  const Owner = { ID: access.ownerId, DisplayName: access.ownerName };
  return {
    ...pageFields(request, query, listing, encode),
    Contents: listing.objects.map((object) => ({
      ...objectFields(object, encode),
      ...(hasOwner && { Owner }),
    })),
    CommonPrefixes: listing.prefixes.map((prefix) => ({ Prefix: encode(prefix) })),
  };
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
