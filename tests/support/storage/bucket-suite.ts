import type { Readable } from 'node:stream';
import {
  GetObjectCommand,
  type GetObjectCommandOutput,
  PutObjectCommand,
  type PutObjectCommandOutput,
  type S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { beforeAll } from 'vitest';
import { shareServer } from '../server/share-server.ts';
import type { RunningServer } from '../server/test-server.ts';
import { type BucketOwner, registerBucketOwner, type S3Keys } from './s3-client.ts';

/** A bucket at a running server for all tests of a file, with a client that may read and write it. */
export function startBucketSuite(Bucket: string) {
  let server: RunningServer | undefined;
  let owner: BucketOwner | undefined;
  let keys: S3Keys | undefined;
  let client: S3Client | undefined;
  let bucketId = '';
  beforeAll(async () => {
    server = shareServer();
    owner = await registerBucketOwner(server);
    bucketId = (await owner.createBucket(Bucket)).id;
    keys = await owner.createKeys([bucketId]);
    client = owner.client(keys);
  });
  const started = () => {
    if (!server || !owner || !keys || !client) throw new Error('the server has not been started');
    return { server, owner, keys, client };
  };
  return {
    get client(): S3Client {
      return started().client;
    },
    get server(): RunningServer {
      return started().server;
    },
    /** Calls `/api/v1` about the bucket as its owner. */
    ask: (method: string, path: string) =>
      started().owner.deployer.person(method, `/api/v1/storage/buckets/${bucketId}${path}`),
    /** Another client with the same keys. */
    clientWith(config: S3ClientConfig): S3Client {
      return started().owner.client(started().keys, config);
    },
    put: (
      Key: string,
      Body: string | Buffer | Readable,
      more: object = {},
    ): Promise<PutObjectCommandOutput> =>
      started().client.send(new PutObjectCommand({ Bucket, Key, Body, ...more })),
    get: (Key: string, more: object = {}): Promise<GetObjectCommandOutput> =>
      started().client.send(new GetObjectCommand({ Bucket, Key, ...more })),
    bytesOf: async ({ Body }: GetObjectCommandOutput): Promise<Buffer> =>
      Buffer.from((await Body?.transformToByteArray()) ?? []),
  };
}
