/** A small file that has not come by then does not come. */
const RESPONSE_MS = 10_000;

/**
 * Returns what the server responds now, not what a cache has.
 * @throws when there is no connection, or no response in time
 */
export function askSoon(path: string): Promise<Response> {
  return fetch(path, { cache: 'no-store', signal: AbortSignal.timeout(RESPONSE_MS) });
}
