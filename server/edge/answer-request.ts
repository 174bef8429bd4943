import { answerWithFile } from './answer-file.ts';
import { schemeOf } from './connections/edge-connection.ts';
import { decide, type Intent } from './decide.ts';
import {
  type EdgeParts,
  type EdgeReply,
  type EdgeRequest,
  reply,
  type SiteRequest,
  visitorOf,
} from './edge-exchange.ts';
import { type EdgePage, edgePage } from './edge-pages.ts';
import { joinRedirect } from './endpoint-redirect.ts';
import type { HostEntry } from './host-directory.ts';
import type { EdgeClient } from './observer.ts';
import type { EdgeRedirectHost } from './ports.ts';
import { withSiteHeaders } from './rules/with-site-headers.ts';
import type { SiteView } from './site-view.ts';
import { withStrictTransport } from './tls/strict-transport.ts';

/** An address that has no file in the version; `skewPath` and `page` as in the intent. */
type MissingFile = Extract<Intent, { kind: 'missing' }>;

/**
 * Answers a request, synchronously when everything is in memory. Never rejects: a failure is a response too.
 * @param client where it came from
 */
export function answerRequest(
  parts: EdgeParts,
  request: EdgeRequest,
  client: EdgeClient,
): EdgeReply | Promise<EdgeReply> {
  if (!request.connection.accepts(request.host)) return pageReply(parts, 'misdirected', request, null);
  const entry = parts.directory.peek(request.host, parts.clock.tick());
  try {
    const response =
      entry === null ? findAndAnswer(parts, request, client) : answerForHost(parts, request, entry);
    if (!(response instanceof Promise)) return overItsScheme(parts, request, response);
    return response.then(
      (found) => overItsScheme(parts, request, found),
      (error) => failedReply(parts, request, error),
    );
  } catch (error) {
    return failedReply(parts, request, error);
  }
}

/** Every response over TLS, whatever its status, includes the host's Strict-Transport-Security. */
function overItsScheme(parts: EdgeParts, request: EdgeRequest, response: EdgeReply): EdgeReply {
  const seconds = response.entry?.host?.strictTransportSeconds ?? 0;
  if (seconds === 0 || requestScheme(parts, request) !== 'https') return response;
  return { ...response, headers: withStrictTransport(response.headers, seconds) };
}

function requestScheme(parts: EdgeParts, request: EdgeRequest) {
  return schemeOf(request.connection.isSecure, parts.trustProxy, request.forwardedProto);
}

async function findAndAnswer(parts: EdgeParts, request: EdgeRequest, client: EdgeClient): Promise<EdgeReply> {
  const visitor = visitorOf(parts, client.remoteAddress, request.forwardedFor);
  const entry = await parts.forVisitor(visitor, () => parts.directory.find(request.host));
  return entry === null
    ? pageReply(parts, 'bad-request', request, null)
    : answerForHost(parts, request, entry);
}

function failedReply(parts: EdgeParts, request: EdgeRequest, error: unknown): EdgeReply {
  parts.logger.error({ err: error, host: request.host }, 'a request could not be answered');
  // A failure before the host is known is billed to no one.
  return pageReply(parts, 'unavailable', request, parts.directory.peek(request.host, parts.clock.tick()));
}

function pageReply(
  parts: EdgeParts,
  page: EdgePage,
  request: EdgeRequest,
  entry: HostEntry | null,
): EdgeReply {
  const { status, headers, body } = edgePage(page, request.acceptLanguage, parts.reportUrl);
  return reply({
    status,
    headers,
    body: request.method === 'HEAD' ? null : body,
    entry,
    isCacheHit: true,
  });
}

function answerForHost(
  parts: EdgeParts,
  request: EdgeRequest,
  entry: HostEntry,
): EdgeReply | Promise<EdgeReply> {
  const { host, slot } = entry;
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!isRead) return methodNotAllowed(entry);
  if (host === null) return pageReply(parts, 'unknown-host', request, entry);
  if (entry.isHttpsOnly && requestScheme(parts, request) === 'http') return toHttps(parts, request, entry);
  if (host.isSuspended)
    return pageReply(parts, host.isOverLimit ? 'over-limit' : 'suspended', request, entry);
  if (host.kind === 'redirect') return toTarget(parts, request, entry, host);
  if (slot === null) {
    return pageReply(parts, host.kind === 'preview' ? 'version-removed' : 'not-deployed', request, entry);
  }
  const { view } = slot;
  if (view === null) throw new Error('the version was evicted and could not be read again');
  const asked = { request, entry, view };
  const intent = decide(request.target, view.rules);
  switch (intent.kind) {
    case 'file':
      return answerWithFile(parts, asked, { ...intent, status: 200 });
    case 'redirect':
      return underSiteHeaders(view, intent.path, redirectReply(entry, intent.status, intent.location));
    case 'missing':
      return intent.skewPath === null
        ? sendMissing(parts, asked, intent)
        : sendReplaced(parts, asked, intent, intent.skewPath);
    case 'bad-request':
      return pageReply(parts, 'bad-request', request, entry);
  }
}

function underSiteHeaders(view: SiteView, path: string, response: EdgeReply): EdgeReply {
  return { ...response, headers: withSiteHeaders(view, path, response.headers) };
}

const METHOD_TEXT = Buffer.from('Method not allowed\n');

function methodNotAllowed(entry: HostEntry): EdgeReply {
  const headers = [
    ...[
      'Allow',
      'GET, HEAD',
      'Content-Type',
      'text/plain; charset=utf-8',
      'Content-Length',
      String(METHOD_TEXT.length),
    ],
    ...['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff'],
  ];
  return reply({ status: 405, headers, body: METHOD_TEXT, entry, isCacheHit: true });
}

/**
 * 308 keeps path, query and method; the address has the same host, so nothing in the request can change where
 * it leads.
 */
function toHttps(parts: EdgeParts, request: EdgeRequest, entry: HostEntry): EdgeReply {
  if (!/^\/[!-~]*$/.test(request.target)) return pageReply(parts, 'bad-request', request, entry);
  return redirectReply(entry, 308, parts.secureUrl(entry.hostname) + request.target);
}

function toTarget(
  parts: EdgeParts,
  request: EdgeRequest,
  entry: HostEntry,
  host: EdgeRedirectHost,
): EdgeReply {
  const location = joinRedirect(host.target, request.target, entry.hostname);
  if (location === null) return pageReply(parts, 'bad-request', request, entry);
  return redirectReply(entry, 301, location);
}

/** Even permanent redirects are revalidated: a rollback, or another choice, must be able to undo them. */
function redirectReply(entry: HostEntry, status: number, location: string): EdgeReply {
  const headers = [
    'Location',
    location,
    'Content-Length',
    '0',
    'Cache-Control',
    'public, max-age=0, must-revalidate',
  ];
  if (entry.host?.kind === 'preview') headers.push('X-Robots-Tag', 'noindex');
  return reply({ status, headers, entry, isCacheHit: true });
}

/** Answers with a file that an earlier version contains, as pages that were loaded before the last deploy still ask for it. */
async function sendReplaced(
  parts: EdgeParts,
  asked: SiteRequest,
  intent: MissingFile,
  skewPath: string,
): Promise<EdgeReply> {
  let earlier: SiteView | null = null;
  try {
    earlier = await parts.views.findReplaced(asked.view, skewPath);
  } catch (error) {
    parts.logger.warn({ err: error, host: asked.request.host }, 'earlier versions could not be searched');
  }
  const file = earlier?.rules.files.get(skewPath);
  if (earlier === null || file === undefined) return sendMissing(parts, asked, intent);
  const found = { path: skewPath, file };
  return answerWithFile(
    parts,
    { ...asked, view: earlier },
    { path: intent.path, found, status: 200, isOwnAddress: false },
  );
}

function sendMissing(
  parts: EdgeParts,
  asked: SiteRequest,
  { path, page }: MissingFile,
): EdgeReply | Promise<EdgeReply> {
  const { request, entry, view } = asked;
  if (page === null) return underSiteHeaders(view, path, pageReply(parts, 'not-found', request, entry));
  return answerWithFile(parts, asked, { path, found: page, status: 404, isOwnAddress: false });
}
