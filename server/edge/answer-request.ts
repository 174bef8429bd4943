import type { BlobHandles, BlobLease } from './blob-handles.ts';
import type { BodyCache, CachedBody } from './body-cache.ts';
import { readByteRange } from './byte-range.ts';
import { cacheControlOf, immutableCacheControl, pageCacheControl } from './cache-policy.ts';
import { decide, type FoundFile } from './decide.ts';
import type { EdgeLogger } from './edge-logger.ts';
import { type EdgePage, edgePage } from './edge-pages.ts';
import type { HostDirectory, HostEntry } from './host-directory.ts';
import type { MemoryBudget } from './memory-budget.ts';
import { chooseEncoding } from './negotiate-encoding.ts';
import type { BlobEncoding, EdgeFile } from './ports.ts';
import { type ConditionalHeaders, evaluatePreconditions, rangeStillApplies } from './preconditions.ts';
import { type EdgeClock, notModifiedHeaders, rememberAnswer } from './ready-answer.ts';
import { encodePath } from './request-path.ts';
import type { SiteView } from './site-view.ts';
import type { SiteViews } from './site-views.ts';

/** A request as both connection handlers read it; absent headers are empty. */
export interface EdgeRequest extends ConditionalHeaders {
  readonly method: string;
  readonly target: string;
  readonly host: string;
  readonly acceptEncoding: string;
  readonly acceptLanguage: string;
  readonly range: string;
}

/** An answer that is not written yet. Its headers leave out Date and Connection. */
export interface EdgeReply {
  readonly status: number;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  /** The body when it is in memory. */
  readonly body: Buffer | null;
  /** The part of a blob that is the body; the writer releases the lease. Not both this and `body`. */
  readonly blob: { readonly lease: BlobLease; readonly start: number; readonly end: number } | null;
  readonly isCacheHit: boolean;
  readonly entry: HostEntry | null;
}

/** What answering needs, made once by `createEdge`. */
export interface EdgeParts {
  readonly directory: HostDirectory;
  readonly views: SiteViews;
  readonly handles: BlobHandles;
  readonly bodies: BodyCache;
  readonly budget: MemoryBudget;
  readonly clock: EdgeClock;
  readonly logger: EdgeLogger;
  readonly cachedFileBytesMax: number;
}

/** The answer to a request, at once when everything is in memory. Never rejects: a failure is an answer too. */
export function answerRequest(parts: EdgeParts, request: EdgeRequest): EdgeReply | Promise<EdgeReply> {
  const now = parts.clock.tick();
  const entry = parts.directory.peek(request.host, now);
  try {
    const reply = entry === null ? findAndAnswer(parts, request) : answerForHost(parts, request, entry);
    return reply instanceof Promise ? reply.catch((error) => failedReply(parts, request, error)) : reply;
  } catch (error) {
    return failedReply(parts, request, error);
  }
}

async function findAndAnswer(parts: EdgeParts, request: EdgeRequest): Promise<EdgeReply> {
  const entry = await parts.directory.find(request.host);
  return entry === null ? pageReply('bad-request', request, null) : answerForHost(parts, request, entry);
}

function failedReply(parts: EdgeParts, request: EdgeRequest, error: unknown): EdgeReply {
  parts.logger.error({ err: error, host: request.host }, 'a request could not be answered');
  return pageReply('unavailable', request, null);
}

function pageReply(page: EdgePage, request: EdgeRequest, entry: HostEntry | null): EdgeReply {
  const { status, headers, body } = edgePage(page, request.acceptLanguage);
  return reply(status, headers, request.method === 'HEAD' ? null : body, entry, true);
}

function reply(
  status: number,
  headers: readonly string[],
  body: Buffer | null,
  entry: HostEntry | null,
  isCacheHit: boolean,
): EdgeReply {
  return { status, headers, body, blob: null, isCacheHit, entry };
}

function answerForHost(
  parts: EdgeParts,
  request: EdgeRequest,
  entry: HostEntry,
): EdgeReply | Promise<EdgeReply> {
  const { host, view } = entry;
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!isRead) return methodNotAllowed(entry);
  if (host === null) return pageReply('unknown-host', request, entry);
  if (view === null) return pageReply('not-deployed', request, entry);
  const intent = decide(request.method, request.target, view.rules);
  switch (intent.kind) {
    case 'file':
      return sendFile(parts, request, entry, view, { ...intent, status: 200, isSkewed: false });
    case 'redirect':
      return redirectReply(entry, view, intent.status, intent.location);
    case 'missing':
      if (intent.skewPath !== null && !view.isPreview) {
        return sendReplaced(parts, request, entry, view, intent.path, intent.skewPath, intent.page);
      }
      return sendMissing(parts, request, entry, view, intent.path, intent.page);
    case 'bad-request':
      return pageReply('bad-request', request, entry);
    case 'method-not-allowed':
      return methodNotAllowed(entry);
  }
}

const methodText = Buffer.from('Method not allowed\n');

function methodNotAllowed(entry: HostEntry): EdgeReply {
  const headers = [
    ...[
      'Allow',
      'GET, HEAD',
      'Content-Type',
      'text/plain; charset=utf-8',
      'Content-Length',
      String(methodText.length),
    ],
    ...['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff'],
  ];
  return reply(405, headers, methodText, entry, true);
}

/** Even permanent redirects are asked about again: a rollback must be able to take them back. */
function redirectReply(entry: HostEntry, view: SiteView, status: number, location: string): EdgeReply {
  const headers = [
    'Location',
    location,
    'Content-Length',
    '0',
    'Cache-Control',
    'public, max-age=0, must-revalidate',
  ];
  if (view.isPreview) headers.push('X-Robots-Tag', 'noindex');
  return reply(status, headers, null, entry, true);
}

async function sendReplaced(
  parts: EdgeParts,
  request: EdgeRequest,
  entry: HostEntry,
  view: SiteView,
  path: string,
  skewPath: string,
  page: FoundFile | null,
): Promise<EdgeReply> {
  let earlier: SiteView | null = null;
  try {
    earlier = await parts.views.findReplaced(view, skewPath);
  } catch (error) {
    parts.logger.warn({ err: error, host: request.host }, 'earlier versions could not be searched');
  }
  const file = earlier?.version.files.get(skewPath);
  if (earlier === null || file === undefined) return sendMissing(parts, request, entry, view, path, page);
  const found = { path: skewPath, file };
  return sendFile(parts, request, entry, earlier, {
    path,
    found,
    status: 200,
    isSkewed: true,
    isOwnAddress: false,
  });
}

function sendMissing(
  parts: EdgeParts,
  request: EdgeRequest,
  entry: HostEntry,
  view: SiteView,
  path: string,
  page: FoundFile | null,
): EdgeReply | Promise<EdgeReply> {
  if (page === null) return pageReply('not-found', request, entry);
  return sendFile(parts, request, entry, view, {
    path,
    found: page,
    status: 404,
    isSkewed: false,
    isOwnAddress: false,
  });
}

interface FileAnswer {
  readonly path: string;
  readonly found: FoundFile;
  readonly status: 200 | 404;
  readonly isSkewed: boolean;
  readonly isOwnAddress: boolean;
}

const etagSuffixes: Readonly<Record<BlobEncoding, string>> = { identity: '', br: '-br', gzip: '-gz' };

/** The strong entity tag of a blob in an encoding. */
export function etagOf(file: EdgeFile, encoding: BlobEncoding): string {
  return `"${file.sha256.slice(0, 32)}${etagSuffixes[encoding]}"`;
}

function sendFile(
  parts: EdgeParts,
  request: EdgeRequest,
  entry: HostEntry,
  view: SiteView,
  answer: FileAnswer,
): EdgeReply | Promise<EdgeReply> {
  const { file } = answer.found;
  const isOk = answer.status === 200;
  const identityTag = etagOf(file, 'identity');
  const hasRange =
    isOk &&
    request.range !== '' &&
    request.method === 'GET' &&
    rangeStillApplies(request.ifRange, identityTag, view.lastModified);
  const range = hasRange ? readByteRange(request.range, file.size) : 'whole';
  const encoding =
    range === 'whole'
      ? chooseEncoding(request.acceptEncoding, file.brotliSize !== null, file.gzipSize !== null)
      : 'identity';
  const size = sizeOf(file, encoding);
  const etag = etagOf(file, encoding);
  const headers = headersOf(view, answer, encoding, etag);

  if (isOk) {
    const outcome = evaluatePreconditions(request, etag, view.lastModified);
    if (outcome === 'not-modified') return reply(304, notModifiedHeaders(headers), null, entry, true);
    if (outcome === 'failed') return reply(412, ['Content-Length', '0'], null, entry, true);
  }
  if (range === 'unsatisfiable') {
    return reply(416, ['Content-Range', `bytes */${file.size}`, 'Content-Length', '0'], null, entry, true);
  }
  const isPart = range !== 'whole';
  const { start, end } = isPart ? range : { start: 0, end: size - 1 };
  const status = isPart ? 206 : answer.status;
  if (isPart) headers.push('Content-Range', `bytes ${start}-${end}/${size}`);
  headers.push('Content-Length', String(end - start + 1));
  if (request.method === 'HEAD' || size === 0) return reply(status, headers, null, entry, true);

  const finish = (cached: CachedBody, isCacheHit: boolean): EdgeReply => {
    const { body } = cached;
    if (body === null) throw new Error('a body was given up before it was sent');
    if (answer.isOwnAddress && status === 200) {
      const encodings = (file.brotliSize === null ? 0 : 1) | (file.gzipSize === null ? 0 : 2);
      const ready = { encoding, encodings, etag, headers, body: cached };
      rememberAnswer(view, parts.budget, encodePath(answer.path), ready, parts.clock);
    }
    return reply(status, headers, isPart ? body.subarray(start, end + 1) : body, entry, isCacheHit);
  };
  const known = size <= parts.cachedFileBytesMax ? parts.bodies.peek(file.sha256, encoding) : null;
  if (known !== null) return finish(known, true);
  if (size > parts.cachedFileBytesMax || parts.bodies.isBusyFor(size)) {
    return parts.handles.acquire(file.sha256, encoding).then((lease) => {
      if (lease === null) throw new Error(`blob ${file.sha256} (${encoding}) is missing`);
      return { status, headers, body: null, blob: { lease, start, end }, isCacheHit: false, entry };
    });
  }
  return parts.bodies.load(file.sha256, encoding, size).then((loaded) => {
    if (loaded === null) throw new Error(`blob ${file.sha256} (${encoding}) is missing`);
    return finish(loaded, false);
  });
}

function sizeOf(file: EdgeFile, encoding: BlobEncoding): number {
  if (encoding === 'br') return file.brotliSize ?? file.size;
  return encoding === 'gzip' ? (file.gzipSize ?? file.size) : file.size;
}

/** The head of a file's answer without its length: the platform's defaults, then the site's `_headers`, then what must hold. */
function headersOf(view: SiteView, answer: FileAnswer, encoding: BlobEncoding, etag: string): string[] {
  const { path, found, status, isSkewed } = answer;
  const { file } = found;
  const chosen = new Map<string, string>([
    ['content-type', file.contentType],
    ['cache-control', isSkewed ? immutableCacheControl : cacheControlOf(found.path, file.contentType)],
    ['x-content-type-options', 'nosniff'],
  ]);
  if (file.brotliSize !== null || file.gzipSize !== null) chosen.set('vary', 'Accept-Encoding');
  view.applyHeaders(path, chosen);
  // A missing page is never kept, whatever the rules say about the pages that exist.
  if (status === 404) chosen.set('cache-control', pageCacheControl);
  if (view.isPreview) chosen.set('x-robots-tag', 'noindex');
  const headers: string[] = [];
  for (const [name, value] of chosen) headers.push(writtenName(name), value);
  if (status === 200) headers.push('ETag', etag, 'Last-Modified', view.lastModified);
  if (encoding !== 'identity') headers.push('Content-Encoding', encoding);
  else if (status === 200) headers.push('Accept-Ranges', 'bytes');
  return headers;
}

/** `content-type` as people write it: `Content-Type`. */
function writtenName(name: string): string {
  return name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());
}
