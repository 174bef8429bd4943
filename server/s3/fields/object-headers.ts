import { isUtf8 } from 'node:buffer';
import { isHeaderName } from '../cors/header-names.ts';
import type { ObjectHeaders } from '../ports.ts';
import { S3Error } from '../s3-error.ts';
import { S3_LIMITS } from '../s3-limits.ts';
import { headerOf, type S3Request } from '../s3-request.ts';
import { hasGrants, isPrivateAcl, requireCannedAcl } from './canned-acls.ts';
import { refuseEncryption } from './encryption-headers.ts';
import { readTagHeader } from './tags.ts';

/** Not copied with an object. */
export const REDIRECT = 'x-amz-website-redirect-location';
/** Headers that are stored and returned as sent. */
const KEPT = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
  'expires',
  // Websites follow it; the service itself only returns it, as S3 does at its REST endpoint.
  REDIRECT,
];
const METADATA = 'x-amz-meta-';
const DEFAULT_TYPE = 'binary/octet-stream';

/** Headers that request unsupported features; ignoring them would mislead the client. */
const NOT_IMPLEMENTED = ['x-amz-write-offset-bytes'];
/** What S3 says of retention and holds in a bucket that was created without them, as every bucket here. */
export const NO_OBJECT_LOCK = 'Bucket is missing Object Lock Configuration';
/** Storage classes of S3; everything here is stored in the one that responses do not name. */
const OTHER_CLASSES = [
  ...['REDUCED_REDUNDANCY', 'STANDARD_IA', 'ONEZONE_IA', 'INTELLIGENT_TIERING', 'GLACIER', 'GLACIER_IR'],
  ...['DEEP_ARCHIVE', 'SNOW', 'EXPRESS_ONEZONE', 'FSX_OPENZFS', 'FSX_ONTAP'],
];

/** @throws NotImplemented, InvalidArgument, AccessControlListNotSupported, InvalidStorageClass */
export function refuseUnsupported(request: S3Request): void {
  refuseUnsupportedOf([...request.headerValues.keys()], (name) => headerOf(request, name));
}

/** The same for a form, whose fields are such headers; its access list has a shorter name. */
export function refuseUnsupportedFields(fields: ReadonlyMap<string, string>): void {
  refuseUnsupportedOf([...fields.keys()], (name) => fields.get(name === 'x-amz-acl' ? 'acl' : name) ?? null);
}

function refuseUnsupportedOf(names: readonly string[], given: (name: string) => string | null): void {
  if (names.some((name) => name.startsWith('x-amz-object-lock-')))
    throw new S3Error('InvalidRequest', NO_OBJECT_LOCK);
  if (names.some((name) => name.startsWith('x-amz-server-side-encryption'))) refuseEncryption(given);
  const refused = NOT_IMPLEMENTED.find((name) => names.includes(name));
  if (refused !== undefined) throw new S3Error('NotImplemented', undefined, { Header: refused });
  const acl = given('x-amz-acl');
  requireCannedAcl(acl);
  if (hasGrants(names) || (acl !== null && !isPrivateAcl(acl)))
    throw new S3Error('AccessControlListNotSupported');
  const storageClass = given('x-amz-storage-class');
  if (storageClass === null || storageClass === 'STANDARD') return;
  throw OTHER_CLASSES.includes(storageClass)
    ? new S3Error('NotImplemented', undefined, { Header: 'x-amz-storage-class' })
    : new S3Error('InvalidStorageClass', undefined, { StorageClassRequested: storageClass });
}

/**
 * Returns the headers of an object, from its upload.
 * @throws MetadataTooLarge, InvalidTag, and refusals of unsupported features
 */
export function readObjectHeaders(request: S3Request): ObjectHeaders {
  refuseUnsupported(request);
  return {
    headers: readKeptHeaders((name) => headerOf(request, name)),
    metadata: readMetadata([...request.headerValues].map(([name, values]) => [name, values.join(',')])),
    tags: readTagHeader(headerOf(request, 'x-amz-tagging')),
  };
}

/** Content coding `aws-chunked` belongs to the transfer, not to the object. */
export function readKeptHeaders(given: (name: string) => string | null): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of KEPT) {
    const value = given(name);
    const kept = name === 'content-encoding' ? withoutChunked(value) : value;
    if (kept !== null && kept !== '') headers[name] = fromHeader(kept);
  }
  requireRedirect(headers[REDIRECT] ?? null);
  headers['content-type'] ??= DEFAULT_TYPE;
  return headers;
}

/** @throws InvalidRedirectLocation */
function requireRedirect(location: string | null): void {
  if (location === null || /^(?:\/|https?:\/\/)/.test(location)) return;
  throw new S3Error('InvalidRedirectLocation');
}

function withoutChunked(value: string | null): string | null {
  if (value === null || !/aws-chunked/i.test(value)) return value;
  const codings = value.split(',').map((coding) => coding.trim());
  return codings.filter((coding) => coding !== '' && coding.toLowerCase() !== 'aws-chunked').join(',');
}

/**
 * @throws MetadataTooLarge; InvalidArgument for names that no response can contain, which only forms can send
 */
export function readMetadata(
  fields: readonly (readonly [name: string, value: string])[],
): Record<string, string> {
  const metadata: Record<string, string> = {};
  let bytes = 0;
  for (const [name, value] of fields) {
    if (!name.startsWith(METADATA)) continue;
    if (!isHeaderName(name)) {
      throw new S3Error('InvalidArgument', 'The name of a metadata field cannot be that of a header.');
    }
    const [key, text] = [name.slice(METADATA.length), fromHeader(value)];
    bytes += Buffer.byteLength(key) + Buffer.byteLength(text);
    if (bytes > S3_LIMITS.metadataBytesMax) {
      throw new S3Error('MetadataTooLarge', undefined, {
        Size: String(bytes),
        MaxSizeAllowed: String(S3_LIMITS.metadataBytesMax),
      });
    }
    Object.defineProperty(metadata, key, { value: text, enumerable: true, configurable: true });
  }
  return metadata;
}

/**
 * Represents a byte that is not part of any UTF-8: a lone surrogate, which no text contains (PEP 383,
 * "surrogateescape").
 */
const ESCAPED = 0xdc00;

/**
 * Node reads header bytes as Latin-1; clients send UTF-8. What is neither is returned as the bytes that were
 * sent.
 */
function fromHeader(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  if (isUtf8(bytes)) return bytes.toString('utf8');
  return value.replace(/[\x80-\xff]/g, (byte) => String.fromCharCode(ESCAPED + byte.charCodeAt(0)));
}

/**
 * Returns a text in the form of a header: non-ASCII as the bytes of its UTF-8, or as the bytes that were
 * sent.
 */
export function toHeader(value: string): string {
  const bytes = value.isWellFormed()
    ? Buffer.from(value, 'utf8').toString('latin1')
    : value.replace(/[\udc80-\udcff]/g, (escaped) => String.fromCharCode(escaped.charCodeAt(0) - ESCAPED));
  return bytes.replace(/\p{Cc}/gu, (character) =>
    character < ' ' || character === '\x7f' ? ' ' : character,
  );
}

/** Returns the headers that describe an object. */
export function writeObjectHeaders({ headers, metadata, tags }: ObjectHeaders): Record<string, string> {
  const written: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) written[name] = toHeader(value);
  for (const [name, value] of Object.entries(metadata)) written[METADATA + name] = toHeader(value);
  if (tags.length > 0) written['x-amz-tagging-count'] = String(tags.length);
  return written;
}
