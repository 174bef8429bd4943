import type { z } from 'zod';
import type { Circuit } from '../../outgoing/circuit.ts';
import { readBounded } from '../../outgoing/read-bounded.ts';
import { UpstreamError } from './upstream-error.ts';

const BODY_BYTES_MAX = 4 * 1024 * 1024;
const TIMEOUT_MS = 8_000;

export interface JsonRequest<Schema extends z.ZodType> {
  url: URL;
  /** The code host's circuit: open while it does not respond. */
  circuit: Circuit;
  accessToken: string;
  schema: Schema;
  /** Ends the request before its own timeout. */
  signal: AbortSignal;
}

export interface JsonResponse<T> {
  status: 'ok' | 'absent';
  headers: Headers;
  /** Null when absent. */
  body: T | null;
}

/**
 * Returns a code host's response, validated and limited in size. A redirect counts as `absent`, like 404: the
 * token is for this address only.
 * @throws UpstreamError
 */
export async function readJson<Schema extends z.ZodType>({
  url,
  circuit,
  accessToken,
  schema,
  signal,
}: JsonRequest<Schema>): Promise<JsonResponse<z.output<Schema>>> {
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    const headersToSend = { accept: 'application/json', authorization: `Bearer ${accessToken}` };
    const response = await circuit.run(() =>
      fetch(url, { headers: headersToSend, redirect: 'manual', signal: bounded }),
    );
    const { status, headers } = response;
    if (status !== 200) {
      await response.body?.cancel();
      if (status === 401 || status === 403) throw new UpstreamError('refused', `${url.pathname}: ${status}`);
      if (status === 404 || (status >= 300 && status < 400)) return { status: 'absent', headers, body: null };
      throw new UpstreamError('outage', `${url.pathname}: ${status}`);
    }
    const parsed = schema.safeParse(
      JSON.parse((await readBounded(response, BODY_BYTES_MAX)).toString('utf8')),
    );
    if (!parsed.success) {
      const at = parsed.error.issues[0]?.path.join('.') ?? '';
      throw new UpstreamError('outage', `${url.pathname}: the response is not understood at "${at}"`);
    }
    return { status: 'ok', headers, body: parsed.data };
  } catch (error) {
    if (error instanceof UpstreamError) throw error;
    throw new UpstreamError('outage', `${url.pathname}: ${reasonOf(error)}`);
  }
}

/** Names the failure without quoting what was received. */
function reasonOf(error: unknown): string {
  if (error instanceof SyntaxError) return 'the response is not JSON';
  if (!(error instanceof Error)) return 'unknown';
  const { cause } = error;
  const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
  return `${error.message}${code}`;
}
