import type { IncomingMessage } from 'node:http';
import { S3Error } from './s3-error.ts';
import { S3_LIMITS } from './s3-limits.ts';

/**
 * Names the key in the query of an address without one in its path: S3 has no such parameter, and browsers cannot ask for a path with
 * a part `.` or `..`.
 */
export const KEY_PARAMETER = 'x-object-key';

/** A request whose address has been parsed; nothing has been verified yet. */
export interface S3Request {
  readonly method: string;
  /** Null: the service itself. */
  readonly bucket: string | null;
  /** Null: the bucket itself. Decoded. */
  readonly key: string | null;
  /** Scheme and host as sent by the client, for addresses in responses. */
  readonly origin: string;
  /** The path as sent, without the query. */
  readonly rawPath: string;
  /** Decoded, in the order of the address. */
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers: IncomingMessage['headers'];
  /** All values of a header by lower-case name. */
  readonly headerValues: ReadonlyMap<string, readonly string[]>;
  readonly body: IncomingMessage;
  readonly id: string;
}

/** Returns the value of a query parameter, or null. A parameter without a value is an empty text. */
export function queryValue({ query }: Pick<S3Request, 'query'>, name: string): string | null {
  return query.find(([known]) => known === name)?.[1] ?? null;
}

/** Returns a header that can only occur once, or null. */
export function headerOf({ headers }: Pick<S3Request, 'headers'>, name: string): string | null {
  const value = headers[name];
  return value === undefined ? null : String(value);
}

/**
 * Parses bucket and key from the host (`bucket.domain`) or the path (`/bucket/key`).
 * @param service the hostname of the service without a port, and how clients reach it
 * @throws BadRequest, NotImplemented, InvalidURI, KeyTooLongError, AccessDenied
 */
export function readS3Request(
  message: IncomingMessage,
  { domain, scheme }: { domain: string; scheme: 'http' | 'https' },
  id: string,
): S3Request {
  const { method = 'GET' } = message;
  const headerValues = collectHeaders(message.rawHeaders);
  requireFraming(message, headerValues);
  const url = toOriginForm(message.url ?? '/');
  const at = url.indexOf('?');
  const rawPath = at === -1 ? url : url.slice(0, at);
  if (!rawPath.startsWith('/')) throw new S3Error('InvalidURI');
  const path = decode(rawPath);
  const hostBucket = bucketOfHost(message.headers.host ?? '', domain);
  const [bucket, keyInPath] =
    hostBucket === null ? splitPath(path.slice(1)) : [hostBucket, path.slice(1) || null];
  const query = at === -1 ? [] : readQuery(url.slice(at + 1));
  const key = keyInPath ?? (queryValue({ query }, KEY_PARAMETER) || null);
  if (keyInPath === null) refuseWorker(message);
  if (key !== null) requireKey(key);
  return {
    method,
    bucket,
    key,
    origin: `${scheme}://${message.headers.host ?? domain}`,
    rawPath,
    query,
    headers: message.headers,
    headerValues,
    body: message,
    id,
  };
}

/**
 * Requires one host, which names the bucket, and a body as it is: content under another transfer coding would be stored as if that were its own.
 * @throws BadRequest, NotImplemented
 */
function requireFraming({ headers, httpVersion }: IncomingMessage, values: S3Request['headerValues']): void {
  const hosts = values.get('host')?.length ?? 0;
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) throw new S3Error('BadRequest');
  const coding = headers['transfer-encoding']?.trim().toLowerCase() ?? 'chunked';
  if (coding !== 'chunked') throw new S3Error('NotImplemented', undefined, { Header: 'Transfer-Encoding' });
}

/** Returns the path and query of an address that is sent whole, as clients do that speak through a proxy (RFC 9112, section 3.2.2). */
function toOriginForm(target: string): string {
  const rest = target.replace(/^https?:\/\/[^/?]*/i, '');
  if (rest === target) return target;
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/**
 * Requires that no browser registers a service worker from an address whose path is only a bucket: its scope would be every bucket of
 * the service ("path restriction" of the Service Workers standard), and it would read what people open in those of others.
 * @throws AccessDenied
 */
function refuseWorker({ headers }: IncomingMessage): void {
  if (headers['service-worker'] === undefined) return;
  throw new S3Error('AccessDenied', 'The script of a service worker must have its key in the path.');
}

/** @throws KeyTooLongError; InvalidURI for what a database text cannot store */
export function requireKey(key: string): void {
  const bytes = Buffer.byteLength(key);
  if (bytes > S3_LIMITS.keyBytesMax) {
    throw new S3Error('KeyTooLongError', undefined, {
      Size: String(bytes),
      MaxSizeAllowed: String(S3_LIMITS.keyBytesMax),
    });
  }
  if (key.includes('\0')) throw new S3Error('InvalidURI');
}

/** "Bucket naming rules" of S3, as far as a pattern tells; the product knows the rest. */
export function mayBeBucketName(name: string): boolean {
  const isAddress = /^(?:\d{1,3}\.){3}\d{1,3}$/.test(name);
  return /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name) && !name.includes('..') && !isAddress;
}

function splitPath(path: string): [string | null, string | null] {
  if (path === '') return [null, null];
  const at = path.indexOf('/');
  return at === -1 ? [path, null] : [path.slice(0, at), path.slice(at + 1) || null];
}

function bucketOfHost(host: string, domain: string): string | null {
  const name = host.replace(/:\d{1,5}$/, '').toLowerCase();
  const suffix = `.${domain}`;
  return name.endsWith(suffix) && name.length > suffix.length ? name.slice(0, -suffix.length) : null;
}

function readQuery(text: string): (readonly [string, string])[] {
  return text
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const at = part.indexOf('=');
      const [name, value] = at === -1 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)];
      return [decode(name.replaceAll('+', ' ')), decode(value.replaceAll('+', ' '))] as const;
    });
}

/** @throws InvalidURI for invalid UTF-8, and for NUL, which a database text cannot store */
export function decode(text: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(text);
  } catch {
    throw new S3Error('InvalidURI');
  }
  if (decoded.includes('\0')) throw new S3Error('InvalidURI');
  return decoded;
}

function collectHeaders(raw: readonly string[]): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = (raw[index] ?? '').toLowerCase();
    const value = raw[index + 1] ?? '';
    const known = values.get(name);
    if (known) known.push(value);
    else values.set(name, [value]);
  }
  return values;
}
