import { chooseEncoding } from '../http-fields/negotiate-encoding.ts';
import { answerWithContent } from './answer-content.ts';
import { canonicalOf, type FoundFile } from './decide.ts';
import { type EdgeParts, type EdgeReply, reply, type SiteRequest } from './edge-exchange.ts';
import { type ByteRange, readByteRange } from './fields/byte-range.ts';
import { cacheControlOf, PAGE_CACHE_CONTROL } from './fields/cache-policy.ts';
import { evaluatePreconditions, rangeStillApplies } from './fields/preconditions.ts';
import type { BlobEncoding, EdgeFile } from './ports.ts';
import { notModifiedHeaders } from './ready-response.ts';
import { withSiteHeaders } from './rules/with-site-headers.ts';
import { writtenName } from './rules/written-name.ts';
import type { SiteView } from './site-view.ts';

/** A file chosen for a request. `path` is the decoded path of the request. */
export interface FileResponse {
  readonly path: string;
  readonly found: FoundFile;
  readonly status: 200 | 404;
  readonly isOwnAddress: boolean;
}

const ETAG_SUFFIXES: Readonly<Record<BlobEncoding, string>> = { identity: '', br: '-br', gzip: '-gz' };

/** The strong entity tag of a blob in an encoding. */
function etagOf(file: EdgeFile, encoding: BlobEncoding): string {
  return `"${file.sha256.slice(0, 32)}${ETAG_SUFFIXES[encoding]}"`;
}

/** What of a file is sent: the file itself or an encoded copy, and the whole of it or a part. */
interface Representation {
  readonly range: ByteRange | 'whole' | 'unsatisfiable';
  readonly encoding: BlobEncoding;
  /** Of the whole file or copy. */
  readonly size: number;
  readonly etag: string;
}

/**
 * Answers with a file of a version: conditions, range, encoding and head, and its body from memory or as a
 * blob to stream.
 */
export function answerWithFile(
  parts: EdgeParts,
  asked: SiteRequest,
  response: FileResponse,
): EdgeReply | Promise<EdgeReply> {
  const { request, entry, view } = asked;
  const { path, found } = response;
  const { range, encoding, size, etag } = chooseRepresentation(parts, asked, response);
  const headers = headersOf(view, response, encoding, etag);
  const counted = countedPath(response);
  const refused = (status: number, own: readonly string[]) =>
    reply({
      status,
      headers: withSiteHeaders(view, path, [...own, 'Content-Length', '0']),
      entry,
      isCacheHit: true,
    });

  if (response.status === 200) {
    const outcome = evaluatePreconditions(request, etag, view.lastModified);
    if (outcome === 'not-modified') {
      const kept = notModifiedHeaders(headers);
      return reply({ status: 304, headers: kept, entry, isCacheHit: true, path: counted });
    }
    if (outcome === 'failed') return refused(412, []);
  }
  if (range === 'unsatisfiable') {
    return refused(416, ['Content-Range', `bytes */${found.file.size}`]);
  }
  const part = range === 'whole' ? null : range;
  const { start, end } = part ?? { start: 0, end: size - 1 };
  const status = part === null ? response.status : 206;
  if (part !== null) headers.push('Content-Range', `bytes ${start}-${end}/${size}`);
  headers.push('Content-Length', String(end - start + 1));
  if (request.method === 'HEAD' || size === 0) {
    return reply({ status, headers, entry, isCacheHit: true, path: counted });
  }
  const { isOwnAddress } = response;
  const content = {
    entry,
    view,
    path,
    found,
    isOwnAddress,
    status,
    headers,
    counted,
    encoding,
    etag,
    size,
    part,
  };
  return answerWithContent(parts, content, () => answerWithFile(parts, asked, response));
}

function chooseRepresentation(
  parts: EdgeParts,
  { request, view }: SiteRequest,
  { found, status }: FileResponse,
): Representation {
  const { file } = found;
  const hasRange =
    status === 200 &&
    request.range !== '' &&
    request.method === 'GET' &&
    rangeStillApplies(request.ifRange, etagOf(file, 'identity'), view.lastModified);
  const range = hasRange ? readByteRange(request.range, file.size) : 'whole';
  const encoding =
    range === 'whole'
      ? chooseEncoding(
          request.acceptEncoding,
          file.brotliSize !== null && !parts.lostCopies.has(file.sha256, 'br'),
          file.gzipSize !== null && !parts.lostCopies.has(file.sha256, 'gzip'),
        )
      : 'identity';
  return { range, encoding, size: sizeOf(file, encoding), etag: etagOf(file, encoding) };
}

/**
 * The address under which a response is listed: the file's own, so that no address made up by a visitor is
 * listed.
 */
function countedPath({ path, found, status, isOwnAddress }: FileResponse): string | null {
  if (status === 404) return null;
  const bare = `/${found.path}`;
  return isOwnAddress && path === bare ? bare : canonicalOf(found.path);
}

function sizeOf(file: EdgeFile, encoding: BlobEncoding): number {
  if (encoding === 'br') return file.brotliSize ?? file.size;
  return encoding === 'gzip' ? (file.gzipSize ?? file.size) : file.size;
}

/**
 * The head of a file's response without its length: the platform's defaults, then the site's `_headers`, then
 * what is mandatory.
 */
function headersOf(view: SiteView, response: FileResponse, encoding: BlobEncoding, etag: string): string[] {
  const { path, found, status } = response;
  const { file } = found;
  const chosen = new Map<string, string>([
    ['content-type', file.contentType],
    ['cache-control', cacheControlOf(found.path, file.contentType)],
    ['x-content-type-options', 'nosniff'],
  ]);
  if (file.brotliSize !== null || file.gzipSize !== null) chosen.set('vary', 'Accept-Encoding');
  view.applyHeaders(path, chosen);
  // A missing page is never cached, whatever the rules say about existing pages.
  if (status === 404) chosen.set('cache-control', PAGE_CACHE_CONTROL);
  if (view.isPreview) chosen.set('x-robots-tag', 'noindex');
  const headers: string[] = [];
  for (const [name, value] of chosen) headers.push(writtenName(name), value);
  if (status === 200) headers.push('ETag', etag, 'Last-Modified', view.lastModified);
  if (encoding !== 'identity') headers.push('Content-Encoding', encoding);
  else if (status === 200) headers.push('Accept-Ranges', 'bytes');
  return headers;
}
