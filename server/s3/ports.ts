import type { Readable } from 'node:stream';
import type { ContentChecksum } from './body/checksums.ts';

/** The signer of a request: a credential of an organization. */
export interface S3Access {
  /** The public key, called access key id in S3. */
  readonly accessKeyId: string;
  readonly secretKey: string;
  readonly credentialId: string;
  readonly credentialName: string;
  /** The organization, as the owner of what is listed. */
  readonly ownerId: string;
  readonly ownerName: string;
  /** And delete those that it reaches. */
  readonly mayCreateBuckets: boolean;
  mayReach(bucketId: string, permission: 'read' | 'write'): boolean;
}

/** One rule of a bucket's CORS configuration, with the field names of S3. */
export interface CorsRule {
  readonly id?: string;
  readonly allowedOrigins: readonly string[];
  readonly allowedMethods: readonly string[];
  readonly allowedHeaders: readonly string[];
  readonly exposeHeaders: readonly string[];
  readonly maxAgeSeconds?: number;
}

/** What S3 clients forbid of public access to a bucket ("Blocking public access to your Amazon S3 storage"). */
export interface PublicAccessBlock {
  readonly blockPublicAcls: boolean;
  readonly ignorePublicAcls: boolean;
  /** No policy may make its objects public. */
  readonly blockPublicPolicy: boolean;
  /** Whatever its policy says, its credentials alone read it. */
  readonly restrictPublicBuckets: boolean;
}

/** An active bucket. */
export interface S3Bucket {
  readonly id: string;
  readonly name: string;
  readonly region: string;
  readonly ownerId: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly corsRules: readonly CorsRule[];
  readonly tags: readonly Tag[];
  readonly publicAccessBlock: PublicAccessBlock | null;
  /** Whether its policy lets anyone read its objects, as its owner has set. */
  readonly isPublic: boolean;
  /** Whether what is public is served: not while its owner is suspended or has reached a spending limit. */
  readonly isServedToAnyone: boolean;
}

/** The checksum of an object: one that was sent and verified, or the default one. */
export interface StoredChecksum extends ContentChecksum {
  /** COMPOSITE is the checksum of the parts' checksums, followed by `-n`. */
  readonly type: 'FULL_OBJECT' | 'COMPOSITE';
}

export type Tag = readonly [key: string, value: string];

/** The metadata of an object. */
export interface ObjectHeaders {
  /** Headers that are returned as sent: content-type, cache-control and so on, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** User metadata without `x-amz-meta-`, by lower-case name. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly tags: readonly Tag[];
}

/** A stored object; immutable: an overwriting one has another `contentId`. */
export interface S3Object extends ObjectHeaders {
  readonly key: string;
  readonly contentId: string;
  readonly size: number;
  /** Without quotes. */
  readonly etag: string;
  /** Epoch milliseconds. */
  readonly modifiedAt: number;
  readonly checksum: StoredChecksum | null;
  /** Of a multipart upload; null for a single-piece one. */
  readonly partCount: number | null;
}

/** An object in a list. */
export type ListedObject = Pick<S3Object, 'key' | 'size' | 'etag' | 'modifiedAt'> & {
  readonly checksum: Pick<StoredChecksum, 'algorithm' | 'type'> | null;
};

/** A stored piece of content: a whole object, or one part. */
export interface S3Piece {
  readonly id: string;
  readonly partNumber: number;
  readonly size: number;
  /** MD5 in hex. */
  readonly etag: string;
  /** Base64; of the whole's algorithm. */
  readonly checksum: string | null;
  readonly modifiedAt: number;
  /** The bytes themselves of a small piece; null for one that is opened by its id. */
  readonly content: Uint8Array | null;
}

/** A piece whose row is about to be written. */
export type NewPiece = Omit<S3Piece, 'partNumber' | 'modifiedAt'>;

/** Bytes received into a temporary place, not yet durable. Exactly one of `keep` and `discard` ends it. */
export interface ReceivedPiece {
  readonly id: string;
  readonly size: number;
  /** The bytes of a small piece, which are stored together with what names it; null when `keep` stores them. */
  readonly content: Uint8Array | null;
  /** Makes the bytes survive a crash, unless they are given back as `content`. */
  keep(): Promise<void>;
  discard(): Promise<void>;
}

/** Random access to one stored piece; `close` must be called. */
export interface PieceHandle {
  readonly size: number;
  /** Whether `read` is a cheap call; otherwise `stream` is for long transfers. */
  readonly isLocal: boolean;
  /** Fills `target` from `position`; returns the bytes read, 0 at the end. */
  read(target: Uint8Array, offset: number, length: number, position: number): Promise<number>;
  stream(start: number, end: number): Readable;
  close(): Promise<void>;
}

/** A condition on the current object under a key, evaluated in the transaction that changes it. */
export type WriteCondition =
  | { kind: 'none' }
  | { kind: 'absent' }
  /** Not over an object with this entity tag. */
  | { kind: 'differs'; etag: string }
  | { kind: 'matches'; etag: string };

/** A condition on the object that is deleted: what is null does not matter. One that is not there fails for its entity tag alone. */
export interface DeleteCondition {
  readonly etag: string | null;
  readonly size: number | null;
  /** Epoch seconds, because headers have no more precision. */
  readonly modifiedAt: number | null;
}

/** A multipart upload in progress. */
export interface S3Upload extends ObjectHeaders {
  readonly id: string;
  readonly key: string;
  /** Epoch milliseconds. */
  readonly initiatedAt: number;
  readonly checksum: Pick<StoredChecksum, 'algorithm' | 'type'> | null;
}

/** What lists tell of an upload. */
export type ListedUpload = Pick<S3Upload, 'id' | 'key' | 'initiatedAt' | 'checksum'>;

export interface NewObject extends ObjectHeaders {
  readonly key: string;
  readonly etag: string;
  readonly checksum: StoredChecksum | null;
}

export interface CompletedUpload {
  readonly etag: string;
  readonly checksum: StoredChecksum | null;
  /** Ordered by number. */
  readonly pieceIds: readonly string[];
  readonly size: number;
}

/** One response for metering. */
export interface S3ResponseRecord {
  readonly status: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

/**
 * Everything that the service needs from the rest of the product. Refusals are thrown as S3Error; any other
 * rejection is our own failure, answered as InternalError or, where `isOutage` says so, ServiceUnavailable.
 */
export interface S3Ports {
  /** Null when the key does not exist, or is no longer valid. Results are at most a few seconds old. */
  findAccess(accessKeyId: string): Promise<S3Access | null>;
  findBucket(name: string): Promise<S3Bucket | null>;
  /** Returns those that the credential can access, by name. */
  listBuckets(access: S3Access): Promise<readonly S3Bucket[]>;
  /**
   * Creates a bucket that takes requests at once and that the access reaches, for one that may.
   * @throws InvalidBucketName, BucketAlreadyExists, TooManyBuckets, AccessDenied, SlowDown
   */
  createBucket(access: S3Access, name: string, tags: readonly Tag[]): Promise<void>;
  /** Deletes a bucket that the access reaches. @throws BucketNotEmpty, NoSuchBucket, AccessDenied */
  deleteBucket(bucket: S3Bucket, access: S3Access): Promise<void>;
  /** As the others that change a bucket: @throws NoSuchBucket, SlowDown when its owner changes too much in an hour */
  setCorsRules(bucket: S3Bucket, access: S3Access, rules: readonly CorsRule[]): Promise<void>;
  setBucketTags(bucket: S3Bucket, access: S3Access, tags: readonly Tag[]): Promise<void>;
  /** Lets anyone read the objects, or its credentials alone. @throws NoSuchBucket, AccessDenied, SlowDown */
  setPublicRead(bucket: S3Bucket, access: S3Access, isPublic: boolean): Promise<void>;
  setPublicAccessBlock(bucket: S3Bucket, access: S3Access, block: PublicAccessBlock | null): Promise<void>;

  findObject(bucket: Pick<S3Bucket, 'id' | 'ownerId'>, key: string): Promise<S3Object | null>;
  /** Returns all pieces of an object in a bucket, ordered by number. */
  listPieces(bucket: Pick<S3Bucket, 'id' | 'ownerId'>, contentId: string): Promise<readonly S3Piece[]>;
  openPiece(id: string): Promise<PieceHandle | null>;
  /** A part of a piece that is small enough to be held in memory; null where there is no such piece. */
  readPiece(id: string, part: { start: number; length: number }): Promise<Buffer | null>;
  /**
   * @param announcedBytes refused before any of it is read when there is no room for this much; null where the sender does not say
   * @throws SlowDown when the bucket's owner stores too much in too short a time
   */
  receive(
    bucket: S3Bucket,
    content: AsyncIterable<Uint8Array>,
    announcedBytes: number | null,
  ): Promise<ReceivedPiece>;
  /**
   * Runs a copy of content: a request of a few bytes has gigabytes read and written, so each owner has a few turns at a time.
   * @throws SlowDown when too many of the owner wait already
   */
  inTurn<T>(bucket: S3Bucket, copy: () => Promise<T>): Promise<T>;
  /**
   * Runs work that has thousands of rows or elements in memory, of which each owner has a few pieces at a time.
   * @throws SlowDown when too many of the owner wait already
   */
  asLongWork<T>(bucket: Pick<S3Bucket, 'ownerId'>, work: () => Promise<T>): Promise<T>;
  /** Copies a stored piece to a new id; durable when it resolves, unless its content goes with it. */
  copyPiece(piece: Pick<S3Piece, 'id' | 'content'>): Promise<Pick<S3Piece, 'id' | 'content'>>;
  /**
   * Stores an object of one piece, replacing the current one.
   * @throws PreconditionFailed, NoSuchKey, NoSuchBucket, QuotaExceeded, AccountProblem
   */
  putObject(
    bucket: S3Bucket,
    object: NewObject,
    piece: NewPiece,
    condition: WriteCondition,
  ): Promise<S3Object>;
  setTags(bucket: S3Bucket, key: string, tags: readonly Tag[]): Promise<void>;
  /**
   * Deletes the object; nothing when there is none.
   * @throws PreconditionFailed
   */
  deleteObject(bucket: S3Bucket, key: string, condition: DeleteCondition): Promise<void>;
  /**
   * Returns objects whose keys begin with `prefix` and come after `after` in the order of UTF-8 bytes. With a
   * delimiter, of those after `after` that share the text up to the first one behind the prefix, only the first.
   */
  listObjects(
    bucket: Pick<S3Bucket, 'id' | 'ownerId'>,
    query: { prefix: string; after: string; limit: number; delimiter?: string },
  ): Promise<readonly ListedObject[]>;

  /** @param access whose request begins it */
  createUpload(
    bucket: S3Bucket,
    access: Pick<S3Access, 'accessKeyId' | 'credentialId' | 'credentialName'>,
    upload: ObjectHeaders & Pick<S3Upload, 'key' | 'checksum'>,
  ): Promise<S3Upload>;
  findUpload(
    bucket: Pick<S3Bucket, 'id' | 'ownerId'>,
    key: string,
    uploadId: string,
  ): Promise<S3Upload | null>;
  /** By key, then by id. */
  listUploads(
    bucket: Pick<S3Bucket, 'id' | 'ownerId'>,
    query: { prefix: string; afterKey: string; afterId: string; limit: number },
  ): Promise<readonly ListedUpload[]>;
  /**
   * Stores the part, replacing another with its number.
   * @throws NoSuchUpload, QuotaExceeded, AccountProblem
   */
  putPart(bucket: S3Bucket, upload: S3Upload, part: NewPiece & Pick<S3Piece, 'partNumber'>): Promise<S3Piece>;
  listParts(
    bucket: Pick<S3Bucket, 'id' | 'ownerId'>,
    uploadId: string,
    page: { after: number; limit: number },
  ): Promise<readonly S3Piece[]>;
  /**
   * Completes the object from its parts, and drops those that are not listed.
   * @throws NoSuchUpload, PreconditionFailed, InvalidPart
   */
  completeUpload(
    bucket: S3Bucket,
    upload: S3Upload,
    completed: CompletedUpload,
    condition: WriteCondition,
  ): Promise<S3Object>;
  /** @throws NoSuchUpload */
  abortUpload(bucket: S3Bucket, upload: S3Upload): Promise<void>;

  /** Called once for each response that belongs to a bucket. Never throws and never waits. */
  count(bucket: S3Bucket, response: S3ResponseRecord): void;
  /** Reports an unexpected failure, with the request it belongs to. */
  reportFailure(error: unknown, requestId: string): void;
  /** Whether the failure means that the database or the store is currently unreachable. */
  isOutage(error: unknown): boolean;
}
