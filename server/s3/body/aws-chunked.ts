import { createHash, type KeyObject } from 'node:crypto';
import { S3Error } from '../s3-error.ts';
import { S3_LIMITS } from '../s3-limits.ts';
import { isSame } from '../signature/authenticate.ts';
import { type CredentialScope, scopeText, sha256Hex, signText } from '../signature/signing-key.ts';
import { ChunkReader, terminatedEarly } from './chunk-reader.ts';

const TRAILERS_MAX = 10;
/**
 * Every chunk costs as much, however short it is. AWS accepts none below 8 KiB but the last; here the chunks of
 * a content that has more than a few have to have this many bytes on average.
 */
const SMALL_CHUNKS_MAX = 1_000;
const CHUNK_BYTES_MIN = 512;
/** Smaller parts are passed on together: who stores them writes each by itself. */
const PART_BYTES_MIN = 64 * 1024;
/** Until then, so many are kept apart: each takes some hundred bytes besides its own, and a client may send a byte in each. */
const PARTS_APART_MAX = 64;
const EMPTY_SHA256 = sha256Hex('');

/** The chain of signatures over the chunks; it begins with the signature of the head. */
export interface ChunkSignatures {
  readonly key: KeyObject;
  readonly scope: CredentialScope;
  readonly date: string;
  readonly seed: string;
}

export interface ChunkedOptions {
  /** Null: chunks are not signed. */
  readonly signatures: ChunkSignatures | null;
  readonly hasTrailer: boolean;
  /** x-amz-decoded-content-length. */
  readonly decodedBytes: number;
  /** Called with the trailers, lower-case names, once all bytes have been read. */
  onTrailers(trailers: ReadonlyMap<string, string>): void;
}

/**
 * Yields the content of an `aws-chunked` body ("Signature calculations for the authorization header:
 * transferring payload in multiple chunks"). Bytes are passed on before their chunk's signature has been
 * read: a consumer that stores them waits for the end.
 * @throws SignatureDoesNotMatch, IncompleteBody, InvalidChunkSizeError, InvalidRequest, MalformedTrailerError
 */
export async function* readAwsChunked(
  body: AsyncIterable<Buffer>,
  options: ChunkedOptions,
): AsyncGenerator<Buffer, void, undefined> {
  let small: Buffer[] = [];
  let bytes = 0;
  for await (const part of readParts(body, options)) {
    small.push(part);
    bytes += part.byteLength;
    if (small.length === PARTS_APART_MAX) small = [Buffer.concat(small, bytes)];
    if (bytes < PART_BYTES_MIN) continue;
    yield* small.length === 1 ? small : [Buffer.concat(small, bytes)];
    small = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(small, bytes);
}

async function* readParts(
  body: AsyncIterable<Buffer>,
  options: ChunkedOptions,
): AsyncGenerator<Buffer, void, undefined> {
  const reader = new ChunkReader(body);
  const chain = options.signatures && new SignatureChain(options.signatures);
  let received = 0;
  for (let chunks = 0; ; chunks += 1) {
    const { size, signature } = readChunkLine(await reader.line());
    if (chunks > SMALL_CHUNKS_MAX && received < chunks * CHUNK_BYTES_MIN) {
      throw new S3Error('InvalidChunkSizeError');
    }
    received += size;
    if (received > options.decodedBytes) throw new S3Error('IncompleteBody');
    const hash = chain && createHash('sha256');
    for await (const part of reader.bytes(size)) {
      hash?.update(part);
      yield part;
    }
    chain?.verifyChunk(signature, hash?.digest('hex') ?? '');
    if (size === 0) break;
    if ((await reader.line()) !== '') throw terminatedEarly();
  }
  if (received !== options.decodedBytes) throw new S3Error('IncompleteBody');
  options.onTrailers(await readTrailers(reader, chain, options.hasTrailer));
  await reader.end();
}

function readChunkLine(line: string): { size: number; signature: string } {
  const match = /^([0-9a-fA-F]{1,12})(?:;chunk-signature=([0-9a-f]{64}))?$/.exec(line);
  const size = match === null ? Number.NaN : Number.parseInt(match[1] ?? '', 16);
  if (!(size <= S3_LIMITS.putBytesMax)) throw terminatedEarly();
  return { size, signature: match?.[2] ?? '' };
}

async function readTrailers(
  reader: ChunkReader,
  chain: SignatureChain | null,
  hasTrailer: boolean,
): Promise<Map<string, string>> {
  const trailers = new Map<string, string>();
  let signature: string | null = null;
  // MinIO's clients send a blank line between trailers and their signature.
  let mayBePaused = chain !== null && hasTrailer;
  for (;;) {
    const line = await reader.line();
    if (line === '' && mayBePaused && signature === null && trailers.size > 0) {
      mayBePaused = false;
      continue;
    }
    if (line === '') break;
    const at = line.indexOf(':');
    if (at < 1 || !hasTrailer || trailers.size >= TRAILERS_MAX) {
      throw new S3Error('MalformedTrailerError');
    }
    const [name, value] = [line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()];
    if (name === 'x-amz-trailer-signature') signature = value;
    else trailers.set(name, value);
  }
  if (chain && hasTrailer) {
    if (signature === null) throw new S3Error('MalformedTrailerError');
    chain.verifyTrailers(signature, trailers);
  }
  return trailers;
}

class SignatureChain {
  private previous: string;
  private readonly signatures: ChunkSignatures;

  constructor(signatures: ChunkSignatures) {
    this.signatures = signatures;
    this.previous = signatures.seed;
  }

  verifyChunk(presented: string, sha256: string): void {
    this.verify(presented, 'AWS4-HMAC-SHA256-PAYLOAD', [EMPTY_SHA256, sha256]);
  }

  verifyTrailers(presented: string, trailers: ReadonlyMap<string, string>): void {
    const text = [...trailers].map(([name, value]) => `${name}:${value}\n`).join('');
    this.verify(presented, 'AWS4-HMAC-SHA256-TRAILER', [sha256Hex(text)]);
  }

  private verify(presented: string, kind: string, hashes: readonly string[]): void {
    const { key, date, scope } = this.signatures;
    const expected = signText(key, [kind, date, scopeText(scope), this.previous, ...hashes].join('\n'));
    if (!isSame(expected, presented)) throw new S3Error('SignatureDoesNotMatch');
    this.previous = expected;
  }
}
