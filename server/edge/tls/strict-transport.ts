const HEADER_NAME = 'Strict-Transport-Security';

/** Returns the headers with Strict-Transport-Security for this long; a site's own value is kept. */
export function withStrictTransport(headers: readonly string[], seconds: number): readonly string[] {
  if (seconds === 0 || headers.includes(HEADER_NAME)) return headers;
  return [...headers, HEADER_NAME, `max-age=${seconds}`];
}
