import type { IncomingHttpHeaders } from 'node:http2';
import type { EdgeConnection } from './edge-connection.ts';
import type { EdgeRequest } from './edge-exchange.ts';

export type StreamHeaders = IncomingHttpHeaders;

/** The request of an HTTP/2 stream. */
export function readStreamRequest(headers: StreamHeaders, connection: EdgeConnection): EdgeRequest {
  const authority = headers[':authority'] ?? headers.host ?? '';
  // Two names are an attempt to be two sites at once.
  const isOneHost = headers.host === undefined || headers.host === authority;
  return {
    method: headers[':method'] ?? '',
    target: headers[':path'] ?? '',
    host: isOneHost ? authority : '',
    acceptEncoding: text(headers['accept-encoding']),
    acceptLanguage: text(headers['accept-language']),
    range: text(headers.range),
    ifRange: text(headers['if-range']),
    ifMatch: text(headers['if-match']),
    ifNoneMatch: text(headers['if-none-match']),
    ifModifiedSince: text(headers['if-modified-since']),
    ifUnmodifiedSince: text(headers['if-unmodified-since']),
    forwardedProto: text(headers['x-forwarded-proto']),
    forwardedFor: forwardedForOf(headers),
    referer: text(headers.referer),
    userAgent: text(headers['user-agent']),
    connection,
  };
}

/** Returns whom a proxy in front names, empty where it names nobody. */
export function forwardedForOf(headers: StreamHeaders): string {
  return text(headers['x-forwarded-for']);
}

function text(value: string | string[] | undefined): string {
  return value?.toString() ?? '';
}
