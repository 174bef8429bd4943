import { checksumHeaders } from '../body/checksums.ts';
import { bodyOf, readWhole } from '../body/read-pieces.ts';
import {
  type ObjectCall,
  type ReadCall,
  requireNullVersion,
  requireObject,
  type S3Response,
  withPieces,
} from '../call.ts';
import { checkReadConditions, isOfVersion } from '../fields/conditions.ts';
import { refuseEncryptionOfRead } from '../fields/encryption-headers.ts';
import { toHeader, writeObjectHeaders } from '../fields/object-headers.ts';
import { readHeaderNumber, readPartNumber } from '../fields/query-numbers.ts';
import type { S3Object, S3Piece } from '../ports.ts';
import { S3Error } from '../s3-error.ts';
import { S3_LIMITS } from '../s3-limits.ts';
import { headerOf, queryValue, type S3Request } from '../s3-request.ts';
import { writeXml } from '../xml/write-xml.ts';
import { objectChecksumFields } from './xml-fields.ts';

/** Query parameters that replace headers of the response; only for signed requests. */
export const OVERRIDES: Readonly<Record<string, string>> = {
  'response-cache-control': 'cache-control',
  'response-content-disposition': 'content-disposition',
  'response-content-encoding': 'content-encoding',
  'response-content-language': 'content-language',
  'response-content-type': 'content-type',
  'response-expires': 'expires',
};

/** A part of an object's bytes. */
interface Span {
  readonly start: number;
  /** Inclusive. */
  readonly end: number;
}

/** GetObject and HeadObject, which differ only in the body. */
export async function readObject(call: ReadCall): Promise<S3Response> {
  const { request, ports } = call;
  requireNullVersion(request);
  refuseEncryptionOfRead((name) => headerOf(request, name));
  const range = headerOf(request, 'range');
  const partNumber = readPart(request);
  const overrides = readOverrides(request);
  const isHead = request.method === 'HEAD';
  const find = async () => ({ object: await requireObject(call) });
  const { object, pieces } =
    isHead && range === null && partNumber === null
      ? { ...(await find()), pieces: [] }
      : await withPieces(call, find);
  const headers = headersOf(overrides, object);
  if (checkReadConditions(request, object, call.now)) return notModified(headers);
  const wantedRange = isOfVersion(headerOf(request, 'if-range'), object) ? range : null;
  const span = partNumber === null ? rangeSpan(wantedRange, object.size) : partSpan(partNumber, pieces);
  const length = span === null ? object.size : span.end - span.start + 1;
  const response = {
    status: span === null ? 200 : 206,
    headers: {
      ...headers,
      ...((length === object.size || partNumber !== null) &&
        checksumHeadersOf(request, object, partNumber === null ? null : (pieces[partNumber - 1] ?? null))),
      'accept-ranges': 'bytes',
      ...(span !== null &&
        object.size > 0 && { 'content-range': `bytes ${span.start}-${span.end}/${object.size}` }),
      ...(partNumber !== null && object.partCount !== null && { 'x-amz-mp-parts-count': object.partCount }),
    },
  };
  if (isHead) return { ...response, headers: { ...response.headers, 'content-length': length } };
  const sent = { start: span?.start ?? 0, length };
  return { ...response, body: (await readWhole(ports, pieces, sent)) ?? bodyOf(ports, pieces, sent) };
}

/**
 * Returns the headers that the query replaces.
 * @throws InvalidArgument for a header that cannot be replaced
 */
function readOverrides({ query }: S3Request): Record<string, string> {
  const overrides = query.flatMap(([parameter, value]) => {
    if (!parameter.startsWith('response-')) return [];
    const name = OVERRIDES[parameter];
    if (name !== undefined) return [[name, toHeader(value)] as const];
    const message = `${parameter} is not in the set of overridable response headers`;
    throw S3Error.ofArgument(parameter, value, message);
  });
  return Object.fromEntries(overrides);
}

function headersOf(overrides: Record<string, string>, object: S3Object): Record<string, string> {
  return {
    ...writeObjectHeaders(object),
    ...overrides,
    etag: `"${object.etag}"`,
    'last-modified': new Date(object.modifiedAt).toUTCString(),
  };
}

const WITHOUT_CONTENT = ['etag', 'last-modified', 'cache-control', 'expires'];

/** The response to a client that already has the object. */
function notModified(headers: Record<string, string>): S3Response {
  const kept = WITHOUT_CONTENT.flatMap((name) => {
    const value = headers[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { status: 304, headers: Object.fromEntries(kept) };
}

/**
 * The checksum of an object, where it is asked for.
 * @param part whose checksum is sent instead; null for that of the whole
 */
function checksumHeadersOf(
  request: S3Request,
  { checksum }: S3Object,
  part: S3Piece | null,
): Record<string, string> | null {
  const isWanted = headerOf(request, 'x-amz-checksum-mode')?.toUpperCase() === 'ENABLED';
  if (checksum === null || !isWanted) return null;
  const value = part === null ? checksum.value : part.checksum;
  return value === null ? null : checksumHeaders({ ...checksum, value });
}

/**
 * Returns the number of the requested part, or null. An invalid one is refused whether or not the object exists.
 * @throws InvalidArgument, InvalidRequest
 */
function readPart(request: S3Request): number | null {
  const part = queryValue(request, 'partNumber');
  if (part === null) return null;
  if (headerOf(request, 'range') !== null)
    throw new S3Error('InvalidRequest', 'Cannot specify both Range header and partNumber query parameter');
  return readPartNumber(part);
}

/** @throws InvalidPartNumber */
function partSpan(number: number, pieces: readonly S3Piece[]): Span {
  let start = 0;
  for (const [index, { size }] of pieces.entries()) {
    if (index + 1 === number) return { start, end: start + size - 1 };
    start += size;
  }
  throw new S3Error('InvalidPartNumber', undefined, {
    PartNumberRequested: String(number),
    ActualPartCount: String(pieces.length),
  });
}

/**
 * Returns one range of bytes; null for the whole, which also answers several ranges and invalid ones (RFC 9110, section 14.2).
 * @throws InvalidRange
 */
function rangeSpan(text: string | null, size: number): Span | null {
  if (text === null) return null;
  const match = /^bytes=(\d*)-(\d*)$/i.exec(text.trim());
  const [first, last] = [match?.[1] ?? '', match?.[2] ?? ''];
  if (first === '' && last === '') return null;
  if (first === '') {
    if (Number(last) === 0) throw outOfRange(text, size);
    // The last bytes of nothing are all of it (RFC 9110, section 14.1.2).
    if (size === 0) return null;
    return { start: Math.max(0, size - Number(last)), end: size - 1 };
  }
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < Number(first)) return null;
  if (Number(first) >= size) throw outOfRange(text, size);
  return { start: Number(first), end };
}

function outOfRange(range: string, size: number): S3Error {
  return new S3Error('InvalidRange', undefined, { RangeRequested: range, ActualObjectSize: String(size) });
}

const ATTRIBUTES = ['ETag', 'Checksum', 'ObjectParts', 'StorageClass', 'ObjectSize'];

/** GetObjectAttributes. */
export async function getObjectAttributes(call: ObjectCall): Promise<S3Response> {
  const { request } = call;
  requireNullVersion(request);
  const named = headerOf(request, 'x-amz-object-attributes') ?? '';
  if (named.trim() === '') {
    throw new S3Error(
      'InvalidRequest',
      'The x-amz-object-attributes header specifying the attributes to be retrieved is either missing or empty',
    );
  }
  const wanted = named.split(',').map((name) => name.trim());
  const wrong = wanted.find((name) => !ATTRIBUTES.includes(name));
  if (wrong !== undefined) {
    throw S3Error.ofArgument('x-amz-object-attributes', wrong, 'Invalid attribute name specified.');
  }
  const page = readPartsPage(request);
  const has = (name: string) => wanted.includes(name);
  const find = async () => ({ object: await requireObject(call) });
  const { object, pieces } = has('ObjectParts')
    ? await withPieces(call, find)
    : { ...(await find()), pieces: [] };
  const modified = { 'last-modified': new Date(object.modifiedAt).toUTCString() };
  if (checkReadConditions(request, object, call.now)) {
    return { status: 304, headers: { etag: `"${object.etag}"`, ...modified } };
  }
  const { checksum } = object;
  const parts = has('ObjectParts') && object.partCount !== null ? partsOf(object, pieces, page) : null;
  return {
    status: 200,
    headers: modified,
    body: writeXml('GetObjectAttributesResponse', {
      ETag: has('ETag') ? object.etag : null,
      Checksum: has('Checksum') ? checksum && objectChecksumFields(checksum) : null,
      ObjectParts: parts,
      StorageClass: has('StorageClass') ? 'STANDARD' : null,
      ObjectSize: has('ObjectSize') ? object.size : null,
    }),
  };
}

/** Parts to show: at most `max`, after a number. */
interface PartsPage {
  readonly max: number;
  readonly after: number;
}

/** @throws InvalidArgument */
function readPartsPage(request: S3Request): PartsPage {
  const { listKeysMax, partNumberMax } = S3_LIMITS;
  return {
    max: readHeaderNumber(request, 'x-amz-max-parts', listKeysMax, listKeysMax),
    after: readHeaderNumber(request, 'x-amz-part-number-marker', 0, partNumberMax),
  };
}

function partsOf({ checksum }: S3Object, pieces: readonly S3Piece[], { max, after }: PartsPage) {
  // An object may have ten thousand, of which this shows few.
  const shown = pieces
    .slice(after, after + max)
    .map((piece, index) => ({ piece, number: after + index + 1 }));
  return {
    PartsCount: pieces.length,
    PartNumberMarker: after,
    NextPartNumberMarker: shown.at(-1)?.number ?? 0,
    MaxParts: max,
    IsTruncated: after + shown.length < pieces.length,
    Part: shown.map(({ piece, number }) => ({
      PartNumber: number,
      Size: piece.size,
      ...(checksum !== null && { [`Checksum${checksum.algorithm}`]: piece.checksum }),
    })),
  };
}
