import { chooseEncoding } from '../http-fields/negotiate-encoding.ts';
import { readByteRange } from './byte-range.ts';
import { cacheControlOf, PAGE_CACHE_CONTROL } from './cache-policy.ts';
import { canonicalOf, type FoundFile } from './decide.ts';
import { type EdgeParts, type EdgeReply, type EdgeRequest, reply } from './edge-exchange.ts';
import type { HostEntry } from './host-directory.ts';
import { lostContent } from './lost-content.ts';
import type { CachedBody } from './memory/body-cache.ts';
import type { BlobEncoding, EdgeFile } from './ports.ts';
import { evaluatePreconditions, rangeStillApplies } from './preconditions.ts';
import { notModifiedHeaders, rememberResponse } from './ready-response.ts';
import { encodePath } from './request-path.ts';
import { withSiteHeaders } from './rules/with-site-headers.ts';
import { writtenName } from './rules/written-name.ts';
import type { SiteView } from './site-view.ts';
import { withStrictTransport } from './tls/strict-transport.ts';

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

/**
 * Answers with a file of a version: conditions, range, encoding and head, and its body from memory or as a
 * blob to stream.
 */
export function answerWithFile(
  parts: EdgeParts,
  request: EdgeRequest,
  entry: HostEntry,
  view: SiteView,
  response: FileResponse,
): EdgeReply | Promise<EdgeReply> {
  const { file } = response.found;
  const isOk = response.status === 200;
  const identityTag = etagOf(file, 'identity');
  const hasRange =
    isOk &&
    request.range !== '' &&
    request.method === 'GET' &&
    rangeStillApplies(request.ifRange, identityTag, view.lastModified);
  const range = hasRange ? readByteRange(request.range, file.size) : 'whole';
  const encoding =
    range === 'whole'
      ? chooseEncoding(
          request.acceptEncoding,
          file.brotliSize !== null && !parts.lostCopies.has(file.sha256, 'br'),
          file.gzipSize !== null && !parts.lostCopies.has(file.sha256, 'gzip'),
        )
      : 'identity';
  const size = sizeOf(file, encoding);
  const etag = etagOf(file, encoding);
  const headers = headersOf(view, response, encoding, etag);
  const counted = countedPath(response);
  const refused = (status: number, own: readonly string[]) =>
    reply(status, withSiteHeaders(view, response.path, [...own, 'Content-Length', '0']), null, entry, true);

  if (isOk) {
    const outcome = evaluatePreconditions(request, etag, view.lastModified);
    if (outcome === 'not-modified')
      return reply(304, notModifiedHeaders(headers), null, entry, true, counted);
    if (outcome === 'failed') return refused(412, []);
  }
  if (range === 'unsatisfiable') {
    return refused(416, ['Content-Range', `bytes */${file.size}`]);
  }
  const isPart = range !== 'whole';
  const { start, end } = isPart ? range : { start: 0, end: size - 1 };
  const status = isPart ? 206 : response.status;
  if (isPart) headers.push('Content-Range', `bytes ${start}-${end}/${size}`);
  headers.push('Content-Length', String(end - start + 1));
  if (request.method === 'HEAD' || size === 0) return reply(status, headers, null, entry, true, counted);

  const finish = (cached: CachedBody, isCacheHit: boolean): EdgeReply => {
    const { body } = cached;
    if (body === null) throw new Error('a body was evicted before it was sent');
    // Ready bytes are created at the second request: a file requested only once is not worth them.
    const isCurrent = view.rules.files.get(response.found.path) === file;
    if (isCacheHit && isCurrent && response.isOwnAddress && status === 200) {
      const encodings = (file.brotliSize === null ? 0 : 1) | (file.gzipSize === null ? 0 : 2);
      const readyHeaders = withStrictTransport(headers, view.strictTransportSeconds);
      const ready = { encoding, encodings, etag, headers: readyHeaders, body: cached, path: response.path };
      rememberResponse(view, parts.budget, encodePath(response.path), ready, parts.clock);
    }
    return reply(status, headers, isPart ? body.subarray(start, end + 1) : body, entry, isCacheHit, counted);
  };
  const known = size <= parts.cachedFileBytesMax ? parts.bodies.peek(file.sha256, encoding, size) : null;
  if (known !== null) return finish(known, true);
  /** Without its encoded copy, the file itself is served. */
  const goWithout = (error: unknown): EdgeReply | Promise<EdgeReply> => {
    if (encoding === 'identity') throw error;
    parts.lostCopies.add(file.sha256, encoding, error);
    // A recreated copy may have another size: the store and the version are read again.
    parts.handles.drop(file.sha256, encoding);
    view.copiesAfter = '';
    return answerWithFile(parts, request, entry, view, response);
  };
  const withoutContent = () => {
    if (encoding === 'identity') {
      parts.lostCopies.reportFile(file.sha256);
      // What replaces a damaged file is another file of the store.
      parts.handles.drop(file.sha256, encoding);
    }
    return goWithout(lostContent(`blob ${file.sha256} (${encoding}) is missing or damaged`));
  };
  if (size > parts.cachedFileBytesMax || parts.bodies.isBusyFor(size)) {
    return parts.handles.acquire(file.sha256, encoding).then((lease) => {
      if (lease === null) return withoutContent();
      if (lease.handle.size !== size) {
        lease.release();
        return withoutContent();
      }
      return { ...reply(status, headers, null, entry, false, counted), blob: { lease, start, end } };
    }, goWithout);
  }
  return parts.bodies
    .load(file.sha256, encoding, size)
    .then((loaded) => (loaded === null ? withoutContent() : finish(loaded, false)), goWithout);
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
