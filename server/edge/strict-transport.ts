const headerName = 'Strict-Transport-Security';

/** The headers with the promise of https for this long; a site's own promise stays as it is. */
export function withStrictTransport(headers: readonly string[], seconds: number): readonly string[] {
  if (seconds === 0 || headers.includes(headerName)) return headers;
  return [...headers, headerName, `max-age=${seconds}`];
}
