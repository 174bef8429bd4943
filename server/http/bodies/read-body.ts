import { createHash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { AppError } from '../../errors.ts';

const JSON_BYTES_MAX = 1024 ** 2;
/** What may follow an archive in its upload and is still read, to know the whole body. */
const DISCARDED_BYTES_MAX = 256 * 1024 ** 2;

/** A request body that is streamed and never held in memory as a whole. */
export interface Upload {
  /** Without parameters, in lower case. */
  contentType: string;
  contentLength: number | null;
  stream: Readable;
}

/** Returns the media type of a request without its parameters, or null when it has none. */
export function mediaTypeOf(request: Request): string | null {
  const value = request.headers.get('content-type');
  return value ? (value.split(';')[0]?.trim().toLowerCase() ?? null) : null;
}

/** Whether a request announces a body at all (RFC 9112, section 6). */
export function hasBody(request: Request): boolean {
  return (contentLengthOf(request) ?? 0) > 0 || request.headers.has('transfer-encoding');
}

/**
 * Returns the bytes of a body that is held in memory as a whole.
 * @throws limit_body_bytes, upload_interrupted
 */
export async function readBodyBytes(request: Request, bytesMax = JSON_BYTES_MAX): Promise<Buffer> {
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

/**
 * Returns the body as a stream with back-pressure. Destroying it leaves the connection intact for the response.
 */
export function openUpload(request: Request): Upload {
  return {
    contentType: mediaTypeOf(request) ?? '',
    contentLength: contentLengthOf(request),
    stream: Readable.from(readChunks(request), { objectMode: false }),
  };
}

/** Returns the length that a request announces for its body; null without one, or with one that is no number. */
export function contentLengthOf(request: Request): number | null {
  const value = request.headers.get('content-length');
  return value !== null && /^\d{1,15}$/.test(value) ? Number(value) : null;
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

const readers = new WeakMap<Request, Reader>();

/** Identifies a whole body, to compare it with another. */
export interface BodyDigest {
  sha256: string;
  bytes: number;
}

const hashes = new WeakMap<Request, { hash: Hash; bytes: number }>();

/** Hashes the body while it is read; {@link digestBody} returns the result. */
export function beginDigest(request: Request): void {
  hashes.set(request, { hash: createHash('sha256'), bytes: 0 });
}

/**
 * Reads the rest of a body, up to `bytesMax` in total (by default a limit on what follows an archive), and
 * returns its digest, or null when it is longer. {@link beginDigest} comes first.
 * @throws upload_interrupted
 */
export async function digestBody(request: Request, bytesMax?: number): Promise<BodyDigest | null> {
  const state = hashes.get(request);
  if (!state) throw new Error('the body was read without a digest');
  const reader = readerOf(request);
  const limit = bytesMax ?? state.bytes + DISCARDED_BYTES_MAX;
  while (state.bytes <= limit) {
    const isEnd = reader === null || (await readNext(request, reader)).done;
    if (isEnd) return { sha256: state.hash.digest('hex'), bytes: state.bytes };
  }
  return null;
}

function readerOf(request: Request): Reader | null {
  const known = readers.get(request);
  if (known || !request.body) return known ?? null;
  const reader = request.body.getReader();
  readers.set(request, reader);
  return reader;
}

/** The only place that reads, so that chunks are hashed in order, whichever caller requests the next one. */
async function readNext(request: Request, reader: Reader): ReturnType<Reader['read']> {
  const result = await reader.read().catch((error: unknown) => {
    throw new AppError('upload_interrupted', {}, [], { cause: error });
  });
  const state = hashes.get(request);
  if (state && !result.done) {
    state.hash.update(result.value);
    state.bytes += result.value.byteLength;
  }
  return result;
}

/**
 * Yields the body chunk by chunk. The reader is never cancelled: cancelling would close the connection before
 * the client can read why its upload was refused. The server reads what is left over (linger.ts).
 */
async function* readChunks(request: Request): AsyncGenerator<Uint8Array> {
  const reader = readerOf(request);
  while (reader) {
    const result = await readNext(request, reader);
    if (result.done) return;
    yield result.value;
  }
}
