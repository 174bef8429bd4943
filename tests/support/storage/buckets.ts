import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { App, OrganizationContext } from '#server/context.ts';
import { newId } from '#server/ids.ts';
import { keptBytes } from '#server/s3/body/read-pieces.ts';
import type {
  DeleteCondition,
  S3Bucket,
  S3Object,
  S3Piece,
  S3Ports,
  S3Upload,
  WriteCondition,
} from '#server/s3/ports.ts';
import { createBucket } from '#server/services/storage/buckets/create-bucket.ts';
import { createS3Ports } from '#server/services/storage/s3-ports.ts';
import { createTestApp, type TestApp } from '../app/test-app.ts';
import { createTestPerson } from '../app/test-person.ts';
import { setUpBilling } from '../billing/billing.ts';

/** The condition of a deletion that has none. */
export const ANY_OBJECT: DeleteCondition = { etag: null, size: null, modifiedAt: null };

/** A credential that begins uploads. */
export const A_CLIENT = { accessKeyId: 'PK', credentialId: 'credential', credentialName: 'backup' };

/** A bucket with what the S3 service does to it. */
export interface BucketWorld {
  app: TestApp;
  context: OrganizationContext;
  bucketId: string;
  bucket: S3Bucket;
  ports: S3Ports;
  /** Stores an object as the service stores one that is not small: bytes first, then the row. */
  put(key: string, content: string, condition?: WriteCondition): Promise<S3Object>;
  /** Stores an object as the service stores a small one: with its row. */
  putSmall(key: string, content: string): Promise<S3Object>;
  /** Returns the content under a key, read from its pieces; null for none. */
  read(key: string): Promise<string | null>;
}

/** Creates an organization with a bucket of this name. */
export async function withBucket(
  name: string,
  environment: Record<string, string> = {},
): Promise<BucketWorld> {
  const app = await createTestApp({ environment });
  const { context } = await createTestPerson(app);
  // Where something is billed, whoever makes a bucket has set up billing.
  if (app.payments) await setUpBilling(context);
  const { id: bucketId } = await createBucket(context, { name });
  const ports = s3PortsOf(app);
  const bucket = await ports.findBucket(name);
  if (bucket === null) throw new Error('the bucket is not active');
  return {
    app,
    context,
    bucketId,
    bucket,
    ports,
    put: (key, content, condition = { kind: 'none' }) =>
      putContent(app, ports, bucket, { key, content, condition }),
    async putSmall(key, content) {
      const bytes = Buffer.from(content);
      const piece = await ports.receive(bucket, Readable.from([bytes]), bytes.byteLength);
      await piece.keep();
      return putPiece(ports, bucket, piece, { key, content, condition: { kind: 'none' } });
    },
    async read(key) {
      const object = await ports.findObject(bucket, key);
      if (object === null) return null;
      const parts: Buffer[] = [];
      const pieces = await ports.listPieces(bucket, object.contentId);
      for await (const bytes of keptBytes(ports, pieces, { start: 0, length: object.size })) {
        parts.push(Buffer.from(bytes));
      }
      return Buffer.concat(parts).toString();
    },
  };
}

/** Stores an object in a bucket. */
export async function storeObject(
  app: App,
  { bucketName, key, content }: { bucketName: string; key: string; content: string },
): Promise<void> {
  const ports = s3PortsOf(app);
  const bucket = await ports.findBucket(bucketName);
  if (bucket === null) throw new Error(`the bucket ${bucketName} is not active`);
  await putContent(app, ports, bucket, { key, content, condition: { kind: 'none' } });
}

/** Begins an upload in parts, and sends these. */
export async function beginUpload(
  app: App,
  bucketName: string,
  { key, parts }: { key: string; parts: readonly string[] },
): Promise<S3Upload> {
  const ports = s3PortsOf(app);
  const bucket = await ports.findBucket(bucketName);
  if (bucket === null) throw new Error(`the bucket ${bucketName} is not active`);
  const told = { headers: {}, metadata: {}, tags: [], checksum: null };
  const upload = await ports.createUpload(bucket, A_CLIENT, { key, ...told });
  for (const [index, text] of parts.entries()) {
    const content = Buffer.from(text);
    const facts = { size: content.byteLength, etag: md5Of(text), checksum: null, content };
    await ports.putPart(bucket, upload, { id: newId(), partNumber: index + 1, ...facts });
  }
  return upload;
}

async function putContent(
  { blobs }: App,
  ports: S3Ports,
  bucket: S3Bucket,
  { key, content, condition }: { key: string; content: string; condition: WriteCondition },
): Promise<S3Object> {
  const announcedBytes = content.length;
  const piece = await blobs.pieces.receive(Readable.from([Buffer.from(content)]), { announcedBytes });
  await piece.keep();
  const { id, size } = piece;
  return putPiece(ports, bucket, { id, size, content: null }, { key, content, condition });
}

function putPiece(
  ports: S3Ports,
  bucket: S3Bucket,
  piece: Pick<S3Piece, 'id' | 'size' | 'content'>,
  { key, content, condition }: { key: string; content: string; condition: WriteCondition },
): Promise<S3Object> {
  return ports.putObject(
    bucket,
    { key, etag: content, checksum: null, headers: {}, metadata: {}, tags: [] },
    { ...piece, etag: md5Of(content), checksum: null },
    condition,
  );
}

export const md5Of = (content: string) => createHash('md5').update(content).digest('hex');

export function s3PortsOf(app: App): S3Ports {
  const fail = (error: unknown) => {
    throw error;
  };
  return createS3Ports(app, { count: () => undefined, reportFailure: fail });
}
