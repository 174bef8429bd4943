const headerName = 'Strict-Transport-Security';

/** Returns the headers with Strict-Transport-Security for this long; a site's own value is kept. */
export function withStrictTransport(headers: readonly string[], seconds: number): readonly string[] {
  if (seconds === 0 || headers.includes(headerName)) return headers;
  return [...headers, headerName, `max-age=${seconds}`];
}
