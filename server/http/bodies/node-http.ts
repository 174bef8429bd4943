import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../../errors.ts';
import { parseJson } from './parse-json.ts';

const BODY_BYTES_MAX = 16 * 1024;

/**
 * Returns a request's JSON body, which must be an object.
 * @throws invalid_input, limit_body_bytes, upload_interrupted
 */
export async function readJsonBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const value = parseJson(await readBody(request, BODY_BYTES_MAX));
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new AppError('invalid_input', { reason: 'the body must be a JSON object' });
}

/**
 * Returns the bytes of a body that is held in memory as a whole.
 * @throws limit_body_bytes, upload_interrupted
 */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const tooLarge = () => new AppError('limit_body_bytes', { limit: bytesMax });
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge();
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    // If destroyed, the request would close the connection before the client can read why it is refused.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length;
      if (bytes > bytesMax) break;
      chunks.push(chunk);
    }
  } catch (error) {
    throw new AppError('upload_interrupted', {}, [], { cause: error });
  }
  if (bytes > bytesMax) throw tooLarge();
  return Buffer.concat(chunks);
}

/** Sends a fetch-style response through Node's response. */
export async function writeResponse(response: ServerResponse, answer: Response): Promise<void> {
  response.statusCode = answer.status;
  for (const [name, value] of answer.headers) {
    if (name !== 'set-cookie') response.setHeader(name, value);
  }
  for (const cookie of answer.headers.getSetCookie()) response.appendHeader('set-cookie', cookie);
  response.setHeader('x-content-type-options', 'nosniff');
  response.end(Buffer.from(await answer.arrayBuffer()));
}
