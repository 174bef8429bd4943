import type { IncomingMessage } from 'node:http';
import { requireKindOfPayload } from './body/sent-content.ts';
import type { S3Response } from './call.ts';
import { answerPreflight } from './cors/answer-cors.ts';
import { decideOperation, type OperationName } from './operation.ts';
import { createBucket, listBuckets } from './operations/buckets.ts';
import { OPERATIONS } from './operations/operation-table.ts';
import { postObject } from './operations/post-object.ts';
import { refuseBlockedAcl } from './operations/public-access-block.ts';
import {
  type PublicReadParts,
  readPublicObject,
  requireSomeBucket,
} from './operations/read-public-object.ts';
import type { S3Access, S3Bucket, S3Ports } from './ports.ts';
import { findReachedBucket, requireExpectedOwner, requireReachedBucket } from './reach-bucket.ts';
import { S3Error } from './s3-error.ts';
import { readS3Request } from './s3-request.ts';
import type { S3Settings } from './s3-settings.ts';
import { authenticate } from './signature/authenticate.ts';
import { withHeadersOfQuery } from './signature/headers-in-query.ts';
import { costOf } from './turns.ts';

/** What else is known of a request, and what is called on its way. */
interface RequestParts {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Called with the operation. */
  noteOperation(operation: OperationName): void;
  /** Called as soon as the bucket is known whose owner is billed for the response, even for an error. */
  noteBucket(bucket: S3Bucket): void;
  /** Resolves when it is the turn of the organization that has signed the request. */
  takeTurn(ownerId: string, cost: number): Promise<void>;
  /** Counts memory until the response has been taken. @throws SlowDown */
  hold(bytes: number): void;
  /** Whether the client may read one more object without access to its bucket. */
  admitPublicRead(bucketName: string): boolean;
}

/**
 * Answers one request: authenticates it, determines the operation, checks permission, and runs it.
 * @throws S3Error for every refusal
 */
export async function answerRequest(
  message: IncomingMessage,
  ports: S3Ports,
  settings: S3Settings,
  { id, now, noteOperation, noteBucket, takeTurn, hold, admitPublicRead }: RequestParts,
): Promise<S3Response> {
  const received = readS3Request(message, settings, id);
  const request = withHeadersOfQuery(received);
  if (request.method === 'OPTIONS') return answerPreflight(request, ports, settings);
  const operation = decideOperation(request);
  noteOperation(operation);
  const { region } = settings;
  if (operation === 'PostObject') {
    const bucketName = request.bucket ?? '';
    const requireBucket = async (access: S3Access) => {
      const bucket = await requireReachedBucket(ports, access, bucketName, 'write');
      noteBucket(bucket);
      return bucket;
    };
    const takeFormTurn = (ownerId: string) => takeTurn(ownerId, costOf(operation));
    return postObject({
      request,
      bucketName,
      region,
      ports,
      now,
      requireBucket,
      takeTurn: takeFormTurn,
      hold,
    });
  }
  const authenticated = await authenticate(received, ports, { region, now });
  const isRead = operation === 'GetObject' || operation === 'HeadObject';
  const isAnonymous = authenticated === null;
  const publicRead: PublicReadParts = { request, ports, now, noteBucket, isAnonymous, admitPublicRead };
  if (authenticated === null) {
    if (isRead) return readPublicObject(publicRead);
    if (operation !== 'CreateBucket') await requireSomeBucket(publicRead);
    throw new S3Error('AccessDenied');
  }
  requireKindOfPayload(operation, authenticated);
  const { access } = authenticated;
  const takeOwnTurn = () => takeTurn(access.ownerId, costOf(operation));
  await takeOwnTurn();
  if (operation === 'ListBuckets') return listBuckets(request, access, ports);
  if (operation === 'CreateBucket') return createBucket({ request, authenticated, hold }, { ports, region });
  const { permission, run } = OPERATIONS[operation];
  const bucket = await findReachedBucket(ports, access, request.bucket ?? '', permission);
  if (bucket === null) {
    if (isRead) return readPublicObject(publicRead);
    throw new S3Error('AccessDenied');
  }
  noteBucket(bucket);
  requireExpectedOwner(request, 'x-amz-expected-bucket-owner', bucket);
  refuseBlockedAcl(request, bucket);
  const requireSource = async (name: string) => {
    const source = await requireReachedBucket(ports, access, name, 'read');
    requireExpectedOwner(request, 'x-amz-source-expected-bucket-owner', source);
    return source;
  };
  const call = { request, authenticated, access, bucket, ports, now, requireSource };
  return run({ ...call, takeTurn: takeOwnTurn, hold });
}
