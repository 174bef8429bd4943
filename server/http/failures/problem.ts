import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import { type AppError, retryAfterOf } from '../../errors.ts';
import { toRateLimitHeaders, windowsOfErrors } from './rate-limit-headers.ts';

/** The form of every failure (RFC 9457). */
export const problemSchema = z.object({
  type: z.string().describe('An address that describes the kind of failure: `/api/v1/problems/{code}`.'),
  title: z.string().describe('The phrase of the status, such as `Conflict`.'),
  status: z.number().int().describe('The HTTP status of the response.'),
  detail: z.string().describe('One English sentence for people. Do not match on it: it may change.'),
  code: z.string().describe('The stable name of the failure, for programs.'),
  request_id: z.string().describe('The same as `X-Request-Id`: the request in the server’s log.'),
  params: z
    .record(z.string(), z.union([z.string(), z.number()]))
    .describe('What fills the sentence, e.g. `suggestion` for a name that is taken.'),
  errors: z
    .array(
      z.object({
        path: z.string().describe('The field, with dots between levels: `files.index.html.size`.'),
        message: z.string().describe('What is wrong with it, in English.'),
      }),
    )
    .describe('The fields that the failure is about; empty when it is not about fields.'),
});

/** Returns the problem document of an error. */
export function toProblem(
  error: AppError,
  publicUrl: string,
  requestId: string,
): z.input<typeof problemSchema> {
  return {
    type: `${publicUrl}/api/v1/problems/${error.code}`,
    title: STATUS_CODES[error.status] ?? 'Error',
    status: error.status,
    detail: error.message,
    code: error.code,
    request_id: requestId,
    params: error.params,
    errors: error.fields,
  };
}

/** Returns the response to a request that failed. */
export function toProblemResponse(error: AppError, publicUrl: string, requestId: string): Response {
  const headers = new Headers({
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    ...toRateLimitHeaders(windowsOfErrors([error])),
  });
  // Bearer, not Basic: for Basic, a browser would open its own password dialog over the console.
  if (error.status === 401) headers.set('www-authenticate', 'Bearer realm="api"');
  if (typeof error.params.allow === 'string') headers.set('allow', error.params.allow);
  const seconds = retryAfterOf(error);
  if (seconds !== null) headers.set('retry-after', String(seconds));
  return new Response(JSON.stringify(toProblem(error, publicUrl, requestId)), {
    status: error.status,
    headers,
  });
}
