import type { Receive, S3Call } from '../call.ts';
import type { OperationName } from '../operation.ts';
import { S3Error } from '../s3-error.ts';
import { S3_LIMITS } from '../s3-limits.ts';
import { headerOf, type S3Request } from '../s3-request.ts';
import type { Authenticated } from '../signature/authenticate.ts';
import { invalidPayloadHash } from '../signature/read-authorization.ts';
import { isSha256Hex, STREAMED_PAYLOADS, UNSIGNED_PAYLOAD } from '../signature/signing-key.ts';
import { readAwsChunked } from './aws-chunked.ts';
import {
  CHECKSUM_ALGORITHMS,
  type ChecksumAlgorithm,
  type ContentChecksum,
  checksumHeader,
  findSentAlgorithm,
  requireAlgorithm,
  requireChecksum,
  severalChecksums,
  wrongChecksum,
} from './checksums.ts';
import { inTurns, isPortion } from './in-turns.ts';
import { type HashedContent, receiveHashed } from './receive-hashed.ts';
import type { VerifiedContent } from './store-content.ts';

const SIGNED_CHUNKS = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD';
const SIGNED_CHUNKS_TRAILER = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER';
const UNSIGNED_CHUNKS_TRAILER = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER';
/** What content that is received takes on its way to the store. */
export const RECEIVING_BYTES = 128 * 1024;
const CHUNKED: ReadonlySet<string> = new Set([SIGNED_CHUNKS, SIGNED_CHUNKS_TRAILER, UNSIGNED_CHUNKS_TRAILER]);

/** Operations whose content may come in chunks of its own framing. */
const OF_CONTENT: ReadonlySet<OperationName> = new Set<OperationName>(['PutObject', 'UploadPart']);

/** @throws InvalidRequest for a kind of chunks where S3 takes none */
export function requireKindOfPayload(operation: OperationName, { presented }: Authenticated): void {
  if (!STREAMED_PAYLOADS.includes(presented.payloadHash) || OF_CONTENT.has(operation)) return;
  throw new S3Error('InvalidRequest', 'The value of x-amz-content-sha256 header is invalid.');
}

/** Where the AWS SDK for JavaScript sends a checksum of MD5: in the head, or behind a stream. */
const CONTENT_MD5 = 'content-md5';
const NO_CHECKSUM = { algorithm: null, checksum: null, trailer: null };

/** What a head declares about the body that follows. */
interface ContentHead {
  readonly payload: string;
  /** Of the content itself, without chunk framing; null when HTTP's own chunks mark its end. */
  readonly size: number | null;
  readonly md5: string | null;
  readonly algorithm: ChecksumAlgorithm | null;
  /** The declared checksum; a trailer may declare it instead. */
  readonly checksum: string | null;
  /** The name of the trailer with the checksum, if any. */
  readonly trailer: string | null;
}

/**
 * Parses the head of an upload and refuses what can be refused before any byte is read.
 * @param options.mayBeWithoutLength true: a request that announces no body has an empty one
 * @throws MissingContentLength, EntityTooLarge, InvalidDigest, InvalidRequest, NotImplemented
 */
export function readContentHead(
  request: S3Request,
  { presented }: Authenticated,
  { isChecksumOfBody = true, mayBeWithoutLength = false } = {},
): ContentHead {
  const payload = presented.payloadHash;
  const isChunked = CHUNKED.has(payload);
  if (!isChunked && payload !== UNSIGNED_PAYLOAD && !isSha256Hex(payload)) {
    throw STREAMED_PAYLOADS.includes(payload) ? new S3Error('NotImplemented') : invalidPayloadHash(payload);
  }
  // SDKs also send a stream in HTTP chunks, and then there is no content-length.
  const size = isChunked
    ? readLength(headerOf(request, 'x-amz-decoded-content-length'))
    : bodyLength(request, mayBeWithoutLength);
  const { putBytesMax } = S3_LIMITS;
  if (size !== null && size > putBytesMax) throw S3Error.ofSize('EntityTooLarge', size, putBytesMax);
  return {
    payload,
    size,
    md5: readMd5(request),
    ...(isChecksumOfBody ? readChecksumHead(request, isChunked) : NO_CHECKSUM),
  };
}

/** S3 requires a length of content; a stream whose end HTTP marks is accepted too, because clients send such. */
function bodyLength(request: S3Request, mayBeWithoutLength: boolean): number | null {
  const text = headerOf(request, 'content-length');
  if (text !== null) return readLength(text);
  if (headerOf(request, 'transfer-encoding') !== null) return null;
  // In HTTP, a request that announces nothing has no body.
  if (mayBeWithoutLength) return 0;
  throw new S3Error('MissingContentLength');
}

function readLength(text: string | null): number {
  if (text === null || !/^\d{1,15}$/.test(text)) throw new S3Error('MissingContentLength');
  return Number(text);
}

function readMd5(request: S3Request): string | null {
  const text = headerOf(request, 'content-md5');
  if (text === null) return null;
  const bytes = Buffer.from(text, 'base64');
  if (bytes.byteLength !== 16 || bytes.toString('base64') !== text) {
    throw new S3Error('InvalidDigest', undefined, { 'Content-MD5': text });
  }
  return bytes.toString('hex');
}

/**
 * @throws InvalidRequest when there are two, an invalid one, or one of another algorithm than is named; a checksum algorithm without a value requires
 * a trailer
 */
function readChecksumHead(
  request: S3Request,
  mayHaveTrailer: boolean,
): Pick<ContentHead, 'algorithm' | 'checksum' | 'trailer'> {
  const algorithm = findSentAlgorithm(Object.keys(request.headers));
  const named = headerOf(request, 'x-amz-sdk-checksum-algorithm');
  const wanted = named === null ? null : requireAlgorithm(named);
  const requireWanted = (sent: ChecksumAlgorithm) => {
    if (wanted === null || wanted === sent) return;
    throw new S3Error('InvalidRequest', 'Value for x-amz-sdk-checksum-algorithm header is invalid.');
  };
  const trailer = headerOf(request, 'x-amz-trailer')?.trim().toLowerCase() ?? null;
  const md5 = headerOf(request, CONTENT_MD5);
  if (algorithm === null && trailer === null && wanted === 'MD5' && md5 !== null) {
    return { algorithm: wanted, checksum: md5, trailer: null };
  }
  const inTrailer =
    trailer === CONTENT_MD5 ? 'MD5' : CHECKSUM_ALGORITHMS.find((each) => checksumHeader(each) === trailer);
  if (algorithm !== null) {
    if (inTrailer !== undefined) throw severalChecksums();
    requireWanted(algorithm);
    const checksum = requireChecksum(algorithm, headerOf(request, checksumHeader(algorithm)) ?? '');
    return { algorithm, checksum, trailer: null };
  }
  if (trailer !== null && (inTrailer === undefined || !mayHaveTrailer)) {
    throw new S3Error('InvalidRequest', 'The value specified in the x-amz-trailer header is not supported');
  }
  if (inTrailer === undefined && wanted !== null) {
    throw new S3Error(
      'InvalidRequest',
      'x-amz-sdk-checksum-algorithm specified, but no corresponding x-amz-checksum-* or x-amz-trailer headers were found.',
    );
  }
  if (inTrailer !== undefined) requireWanted(inTrailer);
  return { algorithm: inTrailer ?? null, checksum: null, trailer };
}

interface ReceivedContent extends VerifiedContent {
  /** The one that its sender has declared. */
  readonly sent: ContentChecksum | null;
}

/**
 * Receives the body of a request and returns it once everything declared about it matches: length, MD5,
 * checksum, hash, signatures of chunks. Otherwise nothing is left behind.
 * @param stored the algorithm of the checksum to store, whichever was sent; null for none
 * @throws BadDigest, XAmzContentSHA256Mismatch, IncompleteBody, SignatureDoesNotMatch, MalformedTrailerError, SlowDown
 */
export async function receiveContent(
  { request, authenticated, takeTurn, hold }: Pick<S3Call, 'request' | 'authenticated' | 'takeTurn' | 'hold'>,
  receive: Receive,
  head: ContentHead,
  stored: ChecksumAlgorithm | null,
): Promise<ReceivedContent> {
  if (!isPortion(head.size)) hold(RECEIVING_BYTES);
  let trailers: ReadonlyMap<string, string> = new Map();
  // The rest of a body that is refused is still read, so that its client reads the refusal.
  const coming: AsyncIterable<Buffer> = request.body.iterator({ destroyOnReturn: false });
  const sent = isPortion(head.size) ? coming : inTurns(coming, takeTurn);
  const body: AsyncIterable<Buffer> = CHUNKED.has(head.payload)
    ? readAwsChunked(sent, {
        signatures: head.payload === UNSIGNED_CHUNKS_TRAILER ? null : chunkSignatures(authenticated),
        hasTrailer: head.payload !== SIGNED_CHUNKS,
        decodedBytes: head.size ?? 0,
        onTrailers: (read) => {
          trailers = read;
        },
      })
    : sent;
  const algorithms = new Set([stored, head.algorithm].filter((algorithm) => algorithm !== null));
  const content = await receiveHashed(receive, body, {
    announcedBytes: head.size,
    algorithms: [...algorithms],
    isSha256Wanted: isSha256Hex(head.payload),
  });
  const { piece, etag } = content;
  try {
    const sent = verifyContent(content, head, trailers);
    return { piece, etag, checksum: checksumOf(content, stored), sent };
  } catch (error) {
    await piece.discard();
    throw error;
  }
}

function checksumOf(
  { checksums }: HashedContent,
  algorithm: ChecksumAlgorithm | null,
): ContentChecksum | null {
  return checksums.find((each) => each.algorithm === algorithm) ?? null;
}

/** Returns the checksum that was sent, once content is what the head and the trailers declare. @throws as receiveContent */
function verifyContent(
  content: HashedContent,
  head: ContentHead,
  trailers: ReadonlyMap<string, string>,
): ContentChecksum | null {
  const { piece, etag, sha256 } = content;
  if (head.size !== null && piece.size !== head.size) throw new S3Error('IncompleteBody');
  if (head.md5 !== null && head.md5 !== etag) {
    throw new S3Error('BadDigest', undefined, {
      ExpectedDigest: head.md5,
      CalculatedDigest: Buffer.from(etag, 'hex').toString('base64'),
    });
  }
  if (sha256 !== null && sha256 !== head.payload) {
    throw new S3Error('XAmzContentSHA256Mismatch', undefined, {
      ClientComputedContentSHA256: head.payload,
      S3ComputedContentSHA256: sha256,
    });
  }
  const said = readTrailer(head, trailers) ?? head.checksum;
  if (head.algorithm === null) return null;
  const calculated = checksumOf(content, head.algorithm);
  if (said !== calculated?.value) throw wrongChecksum(head.algorithm);
  return calculated;
}

/**
 * Returns the checksum in the trailer, or null where none was announced. Nothing else may stand there.
 * @throws MalformedTrailerError, InvalidRequest
 */
function readTrailer(head: ContentHead, trailers: ReadonlyMap<string, string>): string | null {
  if ([...trailers.keys()].some((name) => name !== head.trailer)) throw new S3Error('MalformedTrailerError');
  if (head.algorithm === null || head.trailer === null) return null;
  const sent = trailers.get(head.trailer);
  if (sent === undefined) throw new S3Error('MalformedTrailerError');
  return requireChecksum(head.algorithm, sent, 'trailing header');
}

function chunkSignatures({ key, presented }: Authenticated) {
  return { key, scope: presented.scope, date: presented.date, seed: presented.signature };
}
