import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../errors.ts';
import { parseJson } from '../parse-json.ts';

const BODY_BYTES_MAX = 16 * 1024;

/** Returns a request's JSON body, which must be an object. @throws invalid_input, limit_body_bytes */
export async function readJsonBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Destroyed, the request would take the connection with it before the client can read why it is refused.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new AppError('limit_body_bytes', { limit: BODY_BYTES_MAX });
    chunks.push(chunk);
  }
  const value = parseJson(Buffer.concat(chunks));
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new AppError('invalid_input', { reason: 'the body must be a JSON object' });
}

/** Sends a fetch-style answer through Node's response. */
export async function writeResponse(response: ServerResponse, answer: Response): Promise<void> {
  response.statusCode = answer.status;
  for (const [name, value] of answer.headers) {
    if (name !== 'set-cookie') response.setHeader(name, value);
  }
  for (const cookie of answer.headers.getSetCookie()) response.appendHeader('set-cookie', cookie);
  response.setHeader('x-content-type-options', 'nosniff');
  response.end(Buffer.from(await answer.arrayBuffer()));
}

/** Returns Node's request headers as fetch's, repeated ones joined. */
export function toFetchHeaders(headers: IncomingHttpHeaders): Headers {
  const result = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const single of Array.isArray(value) ? value : [value])
      if (single !== undefined) result.append(name, single);
  }
  return result;
}
