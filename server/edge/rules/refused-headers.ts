/**
 * Headers that frame the message, belong to the connection, or describe the bytes to caches: only the edge
 * can set them.
 */
const REFUSED_NAMES = new Set([
  'accept-ranges',
  'age',
  'alt-svc',
  'connection',
  'content-encoding',
  'content-length',
  'content-range',
  'date',
  'etag',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'last-modified',
  'location',
  'lsc-cookie',
  'max-forwards',
  'server',
  'set-cookie',
  'set-cookie2',
  'status',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
]);

/**
 * Headers that a proxy in front of the edge obeys instead of passing on: nginx, Apache, lighttpd, LiteSpeed,
 * Varnish, perlbal and h2o read files, fetch other addresses or change their caches because of them. They are
 * for operators, not for sites.
 */
const REFUSED_PREFIXES = [
  'proxy-',
  'surrogate-',
  'x-accel-',
  'x-lighttpd-',
  'x-litespeed-',
  'x-reproxy-',
  'x-sendfile',
];

/** True for a lower-case header name that no site may set or remove. */
export function isRefusedHeader(name: string): boolean {
  // Gateways that pass headers on as variables write both the same way.
  const plain = name.replaceAll('_', '-');
  return REFUSED_NAMES.has(plain) || REFUSED_PREFIXES.some((prefix) => plain.startsWith(prefix));
}

/** True for a valid header name (RFC 9110 `token`); names that begin with a colon belong to HTTP/2. */
export function isHeaderName(text: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(text);
}

/** True for a value that every version of HTTP can carry: visible ASCII, with spaces and tabs inside. */
export function isHeaderValue(text: string): boolean {
  return text !== '' && text === text.trim() && /^[\t\x20-\x7e]*$/.test(text);
}
