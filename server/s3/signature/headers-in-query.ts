import { queryValue, type S3Request } from '../s3-request.ts';

/** Parameters of the signature itself, in lower case. */
const OF_SIGNATURE: ReadonlySet<string> = new Set(
  [
    'algorithm',
    'content-sha256',
    'credential',
    'date',
    'expires',
    'security-token',
    'signature',
    'signedheaders',
  ].map((name) => `x-amz-${name}`),
);
/** Conditions that S3 reads in a query too. */
const CONDITIONS: ReadonlySet<string> = new Set(['if-match', 'if-none-match']);
/**
 * What S3 reads in headers alone. The AWS SDK for JavaScript calculates the checksum of the content that a presigned address does not have yet, and
 * puts that of nothing into it.
 */
const HEADERS_ALONE = /^x-amz-(?:checksum-|sdk-|tagging$)/;

/**
 * Returns a request whose presigned address says what its headers would: SDKs move `x-amz-` headers into the query, so that whoever has the address
 * need not send them. The signature covers the query, so a header that is sent besides does not change it.
 */
export function withHeadersOfQuery(request: S3Request): S3Request {
  if (queryValue(request, 'X-Amz-Algorithm') === null) return request;
  const moved = request.query.flatMap(([name, value]) => {
    const header = name.toLowerCase();
    // Headers are read as bytes.
    return isHeader(header) ? [[header, Buffer.from(value, 'utf8').toString('latin1')] as const] : [];
  });
  if (moved.length === 0) return request;
  return {
    ...request,
    headers: { ...request.headers, ...Object.fromEntries(moved) },
    headerValues: new Map([
      ...request.headerValues,
      ...moved.map(([name, value]) => [name, [value]] as const),
    ]),
  };
}

function isHeader(name: string): boolean {
  if (CONDITIONS.has(name)) return true;
  return name.startsWith('x-amz-') && !OF_SIGNATURE.has(name) && !HEADERS_ALONE.test(name);
}
