import type { z } from 'zod';
import { type ErrorShape, isErrorCode } from '#server/error-codes.ts';
import { lookForUpdate } from '../../console-update.ts';
import { apiErrorOf } from '../../i18n/errors/api-error-of.ts';
import { loadErrorWords } from '../../i18n/errors/error-words.ts';
import { isSignedOut } from '../../i18n/errors/read-error.ts';
import { setSessionEnded } from '../sign-in/ended-session.ts';
import type { SchemaName, SchemaOf } from './identity-schemas.ts';

/** After this, a response counts as lost. */
const RESPONSE_MS = 60_000;

/**
 * Returns the response of a JSON address of the identity service, of the type of the named schema.
 * @throws ApiError with the problem document's code
 */
export async function sendToIdentity<N extends SchemaName>(
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: unknown,
): Promise<z.output<SchemaOf<N>>> {
  const response = await fetch(`/identity${path}`, {
    method,
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(RESPONSE_MS),
  });
  const content: unknown = await response.json().catch(() => null);
  // Safe: the service is ours and parses what it returns, as procedures do.
  if (response.ok && content !== null) return content as z.output<SchemaOf<N>>;
  await loadErrorWords();
  const error = apiErrorOf(toErrorShape(content));
  if (method !== 'GET') {
    if (isSignedOut(error)) setSessionEnded(true);
    // A newer server may take something else; for queries, their cache looks.
    else if (error.status !== 401) void lookForUpdate();
  }
  throw error;
}

/** A problem document as our error; anything else is a defect. */
function toErrorShape(content: unknown): ErrorShape {
  const problem = (content ?? {}) as Partial<Record<string, unknown>>;
  const code = String(problem.code);
  return {
    code: isErrorCode(code) ? code : 'internal',
    message: String(problem.detail ?? ''),
    params: (problem.params ?? {}) as ErrorShape['params'],
    fields: (problem.errors ?? []) as ErrorShape['fields'],
    request_id: typeof problem.request_id === 'string' ? problem.request_id : null,
  };
}
