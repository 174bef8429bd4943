import { readBounded } from '../outgoing/read-bounded.ts';

/** More than any response of the provider: the longest is a list of a hundred invoices with their lines. */
const RESPONSE_BYTES_MAX = 16 * 1024 ** 2;

/**
 * Sends a request of the SDK and returns the whole response, within the time that the SDK gives it. The SDK's own
 * client for Node limits only silence and not size: a response that arrives a byte at a time would not end.
 * Redirects are not followed.
 */
export const boundedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'manual' });
  const { status, headers } = response;
  const body = await readBounded(response, RESPONSE_BYTES_MAX);
  return new Response(body.byteLength === 0 ? null : body, { status, headers });
};
