/** A small file that has not come by then does not come. */
const RESPONSE_MS = 10_000;

/**
 * Returns a response of the server itself, never one of a cache.
 * @throws when there is no connection, or no response in time
 */
export function askSoon(path: string): Promise<Response> {
  return fetch(path, { cache: 'no-store', signal: AbortSignal.timeout(RESPONSE_MS) });
}
