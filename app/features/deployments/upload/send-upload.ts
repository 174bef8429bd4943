import { z } from 'zod';
import { isErrorCode } from '#server/error-codes.ts';
import { apiErrorOf } from '../../../i18n/errors/api-error-of.ts';
import { loadErrorWords } from '../../../i18n/errors/error-words.ts';
import type { ApiError } from '../../../i18n/errors/read-error.ts';
import { transfer } from '../../../transfer.ts';

/** What we read of a problem document (RFC 9457). */
const problemSchema = z.object({
  code: z.string(),
  detail: z.string().catch(''),
  request_id: z.string().nullable().catch(null),
  params: z.record(z.string(), z.union([z.string(), z.number()])).catch({}),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).catch([]),
});

export interface UploadRequest {
  method: 'POST' | 'PUT';
  path: string;
  organizationId: string;
  contentType: string;
  body: Blob;
  onBytes: (sent: number) => void;
  signal: AbortSignal;
}

/**
 * Sends bytes to `/api/v1` and returns the parsed response.
 * @throws ApiError for a refusal, the signal's reason when aborted, TypeError when the network failed
 */
export async function sendUpload(upload: UploadRequest): Promise<unknown> {
  const { method, path, organizationId, contentType, body, onBytes, signal } = upload;
  const headers = { 'content-type': contentType, 'portage-organization': organizationId };
  const { status, text } = await transfer({ method, url: path, headers, body, onBytes, signal });
  if (status >= 200 && status < 300) return parseJson(text);
  await loadErrorWords();
  throw toApiError(text);
}

/** Returns the error of a problem document; anything else counts as a failure on the server's side. */
export function toApiError(text: string): ApiError {
  const problem = problemSchema.safeParse(parseJson(text));
  const { code, detail, request_id, params, errors } = problem.data ?? {
    code: 'internal',
    detail: '',
    request_id: null,
    params: {},
    errors: [],
  };
  return apiErrorOf({
    code: isErrorCode(code) ? code : 'internal',
    message: detail,
    params,
    fields: errors,
    request_id,
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
