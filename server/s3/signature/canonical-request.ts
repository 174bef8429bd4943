import { decode, type S3Request } from '../s3-request.ts';

/**
 * Encodes as signatures require: everything but letters, digits and `-._~` ("UriEncode" of the signing
 * process).
 */
export function uriEncode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Encodes a path or a key so: its slashes stay. */
export function uriEncodePath(path: string): string {
  return path.split('/').map(uriEncode).join('/');
}

/**
 * Returns the canonical request ("Create a canonical request"), whose hash a client has signed: as bytes, because those
 * of headers may be anything.
 * @param payloadHash the value of x-amz-content-sha256, or UNSIGNED-PAYLOAD
 * @param leftOut query parameters that are not signed: the signature itself
 */
export function canonicalRequest(
  request: Pick<S3Request, 'method' | 'rawPath' | 'query' | 'headerValues'>,
  signedHeaders: readonly string[],
  payloadHash: string,
  leftOut: ReadonlySet<string> = new Set(),
): Buffer {
  const path = uriEncodePath(decode(request.rawPath));
  const query = request.query
    .filter(([name]) => !leftOut.has(name))
    .map(([name, value]) => [uriEncode(name), uriEncode(value)] as const)
    // By name, not by the text of both: `select` comes before `select-type`, although `=` comes after `-`.
    .sort((a, b) => byBytes(a[0], b[0]) || byBytes(a[1], b[1]))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  const headers = signedHeaders.map((name) => {
    const values = request.headerValues.get(name) ?? [];
    return `${name}:${values.map((value) => value.trim().replace(/ {2,}/g, ' ')).join(',')}\n`;
  });
  const lines = [request.method, path, query, headers.join(''), signedHeaders.join(';'), payloadHash];
  // Header bytes were read as Latin-1; everything else is ASCII.
  return Buffer.from(lines.join('\n'), 'latin1');
}

/** Everything is ASCII at this point, so the order of code units is that of bytes. */
function byBytes(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
