import type { ReceivedPiece, S3Access, S3Bucket, S3Object, S3Piece, S3Ports } from './ports.ts';
import { S3Error } from './s3-error.ts';
import { queryValue, type S3Request } from './s3-request.ts';
import type { Authenticated } from './signature/authenticate.ts';

/** A request passed to its operation: authenticated, and authorized for its bucket. */
export interface S3Call {
  readonly request: S3Request;
  readonly authenticated: Authenticated;
  readonly access: S3Access;
  readonly bucket: S3Bucket;
  readonly ports: S3Ports;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Resolves when it is again the turn of the organization, for work that begins after a body has come. */
  takeTurn(): Promise<void>;
  /** Counts memory until the response has been taken. @throws SlowDown when the signer's requests hold too much already */
  hold(bytes: number): void;
  /**
   * Returns a bucket by its name, when this access may read it: for copies.
   * @throws NoSuchBucket, AccessDenied
   */
  requireSource(bucketName: string): Promise<S3Bucket>;
}

/** A call for an object. */
export interface ObjectCall extends S3Call {
  readonly key: string;
}

/** What reading an object takes: whether the bucket may be read has been decided. */
export type ReadCall = Pick<ObjectCall, 'request' | 'ports' | 'bucket' | 'key' | 'now'>;

/** A response. Text is XML unless the headers say otherwise. */
export interface S3Response {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly body?: string | Buffer | PieceBody;
  /** Of the content that was stored; the head of its request may say another length, or none. */
  readonly receivedBytes?: number;
}

/** The concatenated bytes of stored pieces. */
export interface PieceBody {
  readonly length: number;
  /**
   * Bytes that stay as they are until the next but one are asked for: what is sent needs no more.
   * @param portionBytes at most so many at a time, of which two portions are held
   */
  read(portionBytes: number): AsyncIterable<Uint8Array>;
}

/**
 * Returns an object.
 * @throws NoSuchKey
 */
export async function requireObject({
  bucket,
  key,
  ports,
}: Pick<ObjectCall, 'bucket' | 'key' | 'ports'>): Promise<S3Object> {
  const object = await ports.findObject(bucket, key);
  if (object === null) throw new S3Error('NoSuchKey', undefined, { Key: key });
  return object;
}

const OVERWRITES_MAX = 10;

/**
 * Finds an object and the pieces of its content consistently: overwriting it between the two removes the
 * pieces, and then it is read again.
 * @throws OperationAborted when it is overwritten again and again
 */
export async function withPieces<T extends { object: S3Object }>(
  { ports, bucket }: Pick<ReadCall, 'ports' | 'bucket'>,
  find: () => Promise<T>,
): Promise<T & { pieces: readonly S3Piece[] }> {
  for (let attempt = 1; attempt <= OVERWRITES_MAX; attempt += 1) {
    const found = await find();
    const pieces = await ports.listPieces(bucket, found.object.contentId);
    if (pieces.length > 0 && piecesSize(pieces) === found.object.size) return { ...found, pieces };
  }
  throw new S3Error('OperationAborted');
}

/**
 * A bucket has no versions: only the current one can be requested.
 * @throws InvalidArgument
 */
export function requireNullVersion(request: S3Request): void {
  const version = queryValue(request, 'versionId');
  if (version === null || version === 'null') return;
  throw version === ''
    ? new S3Error('InvalidArgument', 'Version id cannot be the empty string')
    : noVersion(version);
}

/** The refusal of a version that no object can have. */
export function noVersion(version: string): S3Error {
  return S3Error.ofArgument('versionId', version, 'Invalid version id specified');
}

/** Receives content for the bucket of a call. */
export type Receive = (
  content: AsyncIterable<Uint8Array>,
  announcedBytes: number | null,
) => Promise<ReceivedPiece>;

export function receiverOf({ ports, bucket }: Pick<S3Call, 'ports' | 'bucket'>): Receive {
  return (content, announcedBytes) => ports.receive(bucket, content, announcedBytes);
}

export function piecesSize(pieces: readonly Pick<S3Piece, 'size'>[]): number {
  return pieces.reduce((sum, { size }) => sum + size, 0);
}
