import type { IncomingMessage } from 'node:http';
import { AppError } from '../../errors.ts';
import { BODY_BYTES_MAX } from '../bodies/body-limits.ts';
import { methodNotAllowed } from './method-not-allowed.ts';
import { pathnameOf } from './pathname-of.ts';
import { surfaceOf } from './request-surface.ts';

/** The methods that fetch's Request supports; TRACE and CONNECT are not. */
const READABLE_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
const METHODS: ReadonlySet<string> = new Set(READABLE_METHODS);

/**
 * A host and its port, including IPv6. Nothing in it needs decoding or normalizing, which would take
 * quadratic time for a hostile name.
 */
const HOST = /^[\w.:[\]-]{0,300}$/;

/**
 * Checks, before anything reads it, that a request is one that the rest can handle: its address and host can
 * be parsed, and its body is announced as one that this kind of address accepts. `/api/v1` limits its bodies
 * by route, tRPC by actor.
 * @throws invalid_input, method_not_allowed, unsupported_media_type, limit_body_bytes
 */
export function requireReadable(request: IncomingMessage): void {
  toOriginForm(request);
  const { url = '', headers, method = '' } = request;
  // RFC 9112, section 3.2: a proxy in front may have used another than Node, which keeps the first.
  if (countHeaders(request, 'host') > 1)
    throw new AppError('invalid_input', { reason: 'send one Host header' });
  const host = headers.host ?? 'localhost';
  // Two leading slashes are a path here; with a base URL they would begin with a host.
  if (!HOST.test(host) || !URL.canParse(`http://${host}${url}`)) {
    throw new AppError('invalid_input', { reason: 'the address or the host cannot be parsed' });
  }
  if (!METHODS.has(method)) throw methodNotAllowed(...READABLE_METHODS);
  if (!announcesBody(request)) return;
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new AppError('unsupported_media_type', { expected: 'the body without Content-Encoding' });
  }
  const limit = bodyBytesMaxOf(pathnameOf(request));
  const announced = headers['transfer-encoding'] === undefined ? Number(headers['content-length']) : null;
  if (limit !== null && (announced === null ? limit === 0 : announced > limit)) {
    throw new AppError('limit_body_bytes', { limit });
  }
}

/** Whether a request announces a body (RFC 9112, section 6). */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function bodyBytesMaxOf(pathname: string): number | null {
  switch (surfaceOf(pathname)) {
    case 'trpc':
    case 'rest':
      return null;
    case 'identity':
      return BODY_BYTES_MAX.identity;
    case 'webhook':
      return BODY_BYTES_MAX.webhook;
    case 'sandbox':
      return BODY_BYTES_MAX.sandbox;
    default:
      return BODY_BYTES_MAX.none;
  }
}

/**
 * Gives a request the path and query alone as its address. A proxy may send the absolute form (RFC 9112, section
 * 3.2.2), which then names the host. HTTP has no fragments, but Node passes on what a client sends.
 * @throws invalid_input
 */
function toOriginForm(request: IncomingMessage): void {
  const [url = ''] = (request.url ?? '').split('#', 1);
  request.url = url;
  if (url.startsWith('/')) return;
  const [, named = ''] = /^https?:\/\/([^/?#]*)/i.exec(url) ?? [];
  if (named === '' || !HOST.test(named) || !URL.canParse(url)) {
    throw new AppError('invalid_input', { reason: 'the address cannot be parsed' });
  }
  const { pathname, search, host } = new URL(url);
  request.url = `${pathname}${search}`;
  request.headers.host = host;
}

/** Node keeps the first of two; a proxy in front may have used the other. @throws invalid_input */
export function requireOneAuthorization(request: Pick<IncomingMessage, 'headers' | 'rawHeaders'>): void {
  if (request.headers.authorization === undefined) return;
  if (countHeaders(request, 'authorization') > 1) {
    throw new AppError('invalid_input', { reason: 'send one Authorization header' });
  }
}

/** Returns how many headers of a name, in lower case, a request has. */
function countHeaders({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): number {
  return rawHeaders.filter((text, at) => at % 2 === 0 && text.toLowerCase() === name).length;
}
