import { Readable } from 'node:stream';
import { AppError } from '../errors.ts';
import type { Route, Upload } from './route.ts';

const JSON_BYTES_MAX = 1024 ** 2;
const ANY_TYPE = '*/*';

/** Returns the media type of a request without its parameters, or null when it names none. */
export function mediaTypeOf(request: Request): string | null {
  const value = request.headers.get('content-type');
  return value ? (value.split(';')[0]?.trim().toLowerCase() ?? null) : null;
}

/**
 * Returns the route among those of one address and method that takes the request's media type.
 * @throws unsupported_media_type naming what would be taken
 */
export function chooseRoute(routes: readonly Route[], request: Request): Route {
  const mediaType = mediaTypeOf(request);
  const encoding = request.headers.get('content-encoding');
  const chosen = routes.find((route) => {
    if (!route.body) return true;
    if ('json' in route.body) {
      return mediaType === 'application/json' || (route.body.isOptional && !hasBody(request));
    }
    return (
      route.body.upload.includes(ANY_TYPE) || (mediaType !== null && route.body.upload.includes(mediaType))
    );
  });
  const takesBody = chosen?.body !== undefined;
  if (takesBody && encoding && encoding !== 'identity') {
    throw new AppError('unsupported_media_type', { expected: 'the body without Content-Encoding' });
  }
  if (chosen) return chosen;
  const expected = routes.flatMap((route) => mediaTypesOf(route)).join(', ');
  throw new AppError('unsupported_media_type', { expected: `a body of the type ${expected}` });
}

/** Returns the media types a route takes; none for a route without a body. */
export function mediaTypesOf(route: Route): string[] {
  if (!route.body) return [];
  return 'json' in route.body ? ['application/json'] : [...route.body.upload];
}

/** Whether a request announces a body at all (RFC 9112, section 6). */
export function hasBody(request: Request): boolean {
  return (contentLengthOf(request) ?? 0) > 0 || request.headers.has('transfer-encoding');
}

/** Returns the bytes of a JSON body. @throws limit_body_bytes, upload_interrupted */
export async function readJsonBytes(request: Request, bytesMax = JSON_BYTES_MAX): Promise<Buffer> {
  const declared = contentLengthOf(request);
  if (declared !== null && declared > bytesMax) throw new AppError('limit_body_bytes', { limit: bytesMax });
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of readChunks(request)) {
    size += chunk.byteLength;
    if (size > bytesMax) throw new AppError('limit_body_bytes', { limit: bytesMax });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Returns the value of a JSON text. A key `__proto__` is refused: schemas would drop it in silence. @throws invalid_input */
export function parseJson(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  try {
    return text.includes('__proto__') ? JSON.parse(text, refusePrototype) : JSON.parse(text);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('invalid_input', { reason: 'the body is not JSON' });
  }
}

function refusePrototype(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new AppError('invalid_input', { reason: 'a name __proto__ is not allowed' });
  return value;
}

/** Returns the body as a stream with back-pressure. Destroying it leaves the connection intact for the answer. */
export function openUpload(request: Request): Upload {
  return {
    contentType: mediaTypeOf(request) ?? '',
    contentLength: contentLengthOf(request),
    stream: Readable.from(readChunks(request), { objectMode: false }),
  };
}

function contentLengthOf(request: Request): number | null {
  const value = request.headers.get('content-length');
  return value !== null && /^\d{1,15}$/.test(value) ? Number(value) : null;
}

const readers = new WeakMap<Request, ReadableStreamDefaultReader<Uint8Array>>();

/**
 * Yields the body chunk by chunk. The reader is never cancelled: cancelling would close the connection before the client
 * can read why its upload was refused. What is left over goes to {@link discardRest}.
 */
async function* readChunks(request: Request): AsyncGenerator<Uint8Array> {
  if (!request.body) return;
  const reader = request.body.getReader();
  readers.set(request, reader);
  while (true) {
    const result = await reader.read().catch((error: unknown) => {
      throw new AppError('upload_interrupted', {}, [], { cause: error });
    });
    if (result.done) return;
    yield result.value;
  }
}

/** More than this is not read only to be thrown away: the connection is closed instead. */
const DISCARDED_BYTES_MAX = 256 * 1024 ** 2;

/**
 * Reads what is left of a body that was begun, so that the client can finish sending, read its answer and use the
 * connection again. Bodies that were not begun are discarded by the HTTP server itself.
 */
export async function discardRest(request: Request): Promise<void> {
  const reader = readers.get(request);
  if (!reader) return;
  try {
    for (let discarded = 0; discarded < DISCARDED_BYTES_MAX; ) {
      const { done, value } = await reader.read();
      if (done) return;
      discarded += value.byteLength;
    }
    await reader.cancel();
  } catch {
    // The client is gone, and with it the rest.
  }
}
