import { Readable } from 'node:stream';
import { FastResponse } from 'srvx';
import { compressText, toSentText } from '../http/bodies/compress-text.ts';
import { hashTag } from './hash-tag.ts';
import type { HtmlPage } from './openapi/documentation-page.ts';
import type { Download, Page, Route } from './route.ts';

/** A response before it becomes a Response: what an idempotent repeat gets again. */
export interface PlainResponse {
  status: number;
  /** Null for 204 and for downloads. */
  text: string | null;
  headers: Record<string, string>;
  download?: Download;
}

/**
 * Returns a route's response for what its handler returned. The output is parsed, so an undeclared field cannot
 * leak.
 */
export function toPlainResponse(route: Route, result: unknown, url: URL): PlainResponse {
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
    case 'redirect':
      return { status: 303, text: null, headers: { location: String(result) } };
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

/**
 * Returns the Response to send. Reads get an ETag, and 304 when the client already has it; long responses
 * are compressed for clients that accept it; HEAD gets no body.
 */
export async function toResponse(response: PlainResponse, request: Request): Promise<Response> {
  const { status, text, download } = response;
  const headers = new Headers(response.headers);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const kept = download?.secondsKept ? `max-age=${download.secondsKept}` : 'no-cache';
  headers.set('cache-control', isRead ? `private, ${kept}` : 'no-store');
  const sent = text === null ? null : toSentText(text);
  if (isRead && sent !== null) {
    headers.set('etag', hashTag(sent));
    headers.set('vary', 'accept-encoding');
  }
  // Nothing could be done with one that a write returned.
  if (!isRead) headers.delete('etag');
  const etag = headers.get('etag');
  if (isRead && etag && isKnown(request.headers.get('if-none-match'), etag)) {
    download?.stream.destroy();
    headers.delete('content-type');
    headers.delete('content-disposition');
    return new Response(null, { status: 304, headers });
  }
  if (download && request.method !== 'HEAD') {
    return new Response(toWebStream(download.stream), { status, headers });
  }
  download?.stream.destroy();
  if (sent === null) return new Response(null, { status, headers });
  const compressed = isRead ? await compressText(sent, request.headers.get('accept-encoding')) : null;
  if (compressed) {
    headers.set('content-encoding', compressed.encoding);
    // Not the bytes that the tag was computed from (RFC 9110, section 8.8.3).
    headers.set('etag', `W/${etag}`);
  }
  const body = compressed?.bytes ?? sent;
  headers.set('content-length', String(Buffer.byteLength(body)));
  // It passes the whole body on, while fetch's own Response turns it into a stream.
  return new FastResponse(request.method === 'HEAD' ? null : body, { status, headers });
}

function downloadHeaders(download: Download, mediaType: string): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': download.mediaType ?? mediaType,
    // Customers made what is in it: opened by itself, it runs nothing and is no part of the console.
    'content-security-policy': "default-src 'none'; sandbox",
    'content-disposition': `attachment; filename="${download.filename.replace(/[^\w.-]/g, '_')}"`,
  };
  if (download.etag) headers.etag = download.etag;
  return headers;
}

/** The same address with the next cursor, without the host: it stays correct behind any proxy (RFC 8288). */
function nextAddress(url: URL, cursor: string): string {
  const next = new URLSearchParams(url.searchParams);
  next.set('cursor', cursor);
  return `${url.pathname}?${next}`;
}

/** Whether `If-None-Match` contains the tag; proxies may have made it weak. */
function isKnown(header: string | null, etag: string): boolean {
  if (header === null) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

/**
 * Node's types distinguish its web streams from the global ones that Response takes; at run time they are the
 * same class.
 */
function toWebStream(stream: Readable): ReadableStream<Uint8Array> {
  return Readable.toWeb(stream) as ReadableStream<Uint8Array>;
}
