import { Readable } from 'node:stream';
import type { HtmlPage } from './documentation-page.ts';
import { hashTag } from './hash-tag.ts';
import type { Download, Page, Route } from './route.ts';

/** An answer before it becomes a Response: what an idempotent repeat gets again. */
export interface Answer {
  status: number;
  /** Null for 204 and for downloads. */
  text: string | null;
  headers: Record<string, string>;
  download?: Download;
}

/** Returns the answer of a route for what its handler returned. The output is parsed, so an undeclared field cannot leak. */
export function toAnswer(route: Route, result: unknown, url: URL): Answer {
  const { success } = route;
  switch (success.kind) {
    case 'empty':
      return { status: 204, text: null, headers: {} };
    case 'download': {
      const download = result as Download;
      return { status: 200, text: null, headers: downloadHeaders(download, success.mediaType), download };
    }
    case 'html': {
      const { html, contentSecurityPolicy } = result as HtmlPage;
      const headers = {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': contentSecurityPolicy,
        'referrer-policy': 'no-referrer',
      };
      return { status: 200, text: html, headers };
    }
    case 'page': {
      const page = result as Page;
      const headers: Record<string, string> = { 'content-type': 'application/json' };
      if (page.next_cursor !== null) headers.link = `<${nextAddress(url, page.next_cursor)}>; rel="next"`;
      return {
        status: 200,
        text: JSON.stringify(page.items.map((item) => success.schema.parse(item))),
        headers,
      };
    }
    case 'json': {
      const value = success.schema.parse(result);
      const headers: Record<string, string> = { 'content-type': 'application/json' };
      if (route.location) headers.location = route.location(value);
      return { status: success.status, text: JSON.stringify(value), headers };
    }
  }
}

/** Returns the Response of an answer; reads get an ETag and answer 304 to who has it, HEAD gets no body. */
export function toResponse(answer: Answer, request: Request): Response {
  const headers = new Headers(answer.headers);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  headers.set('cache-control', isRead ? 'private, no-cache' : 'no-store');
  if (isRead && answer.text !== null) headers.set('etag', hashTag(answer.text));
  const etag = headers.get('etag');
  if (isRead && etag && isKnown(request.headers.get('if-none-match'), etag)) {
    answer.download?.stream.destroy();
    headers.delete('content-type');
    return new Response(null, { status: 304, headers });
  }
  if (request.method === 'HEAD') {
    answer.download?.stream.destroy();
    if (answer.text !== null) headers.set('content-length', String(Buffer.byteLength(answer.text)));
    return new Response(null, { status: answer.status, headers });
  }
  if (answer.download) {
    return new Response(toWebStream(answer.download.stream), { status: answer.status, headers });
  }
  return new Response(answer.text, { status: answer.status, headers });
}

function downloadHeaders(download: Download, mediaType: string): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': mediaType,
    'content-disposition': `attachment; filename="${download.filename.replace(/[^\w.-]/g, '_')}"`,
  };
  if (download.etag) headers.etag = download.etag;
  return headers;
}

/** The same address with the next cursor, without the host: it stays right behind any proxy (RFC 8288). */
function nextAddress(url: URL, cursor: string): string {
  const next = new URLSearchParams(url.searchParams);
  next.set('cursor', cursor);
  return `${url.pathname}?${next}`;
}

/** Whether `If-None-Match` names the tag; proxies may have made it weak. */
function isKnown(header: string | null, etag: string): boolean {
  if (header === null) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

/** Node types its web streams apart from the global ones that Response takes; at run time they are the same class. */
function toWebStream(stream: Readable): ReadableStream<Uint8Array> {
  return Readable.toWeb(stream) as ReadableStream<Uint8Array>;
}
