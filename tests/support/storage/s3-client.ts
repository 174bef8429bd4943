import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { type Deployer, registerDeployer } from '../client/deploy-client.ts';
import { objectOf, type RestClient } from '../client/rest-client.ts';
import type { RunningServer } from '../server/test-server.ts';

/** A credential's keys, named like in S3 clients. */
export interface S3Keys {
  accessKeyId: string;
  secretAccessKey: string;
}

/** A person with buckets at a running server, over HTTP. */
export interface BucketOwner extends BucketMaker {
  deployer: Deployer;
}

/** Creates buckets and keys on behalf of a person. */
export interface BucketMaker {
  /** Creates a bucket and returns its id and name. */
  createBucket(name: string, options?: object): Promise<{ id: string; name: string }>;
  /** Creates a credential that can access these buckets. */
  createKeys(
    bucketIds: readonly string[],
    permissions?: readonly string[],
    more?: { may_create_buckets?: boolean },
  ): Promise<S3Keys & { id: string }>;
  client(keys: S3Keys, config?: S3ClientConfig): S3Client;
}

/** Registers a person who may have buckets. */
export async function registerBucketOwner(server: RunningServer): Promise<BucketOwner> {
  const deployer = await registerDeployer(server);
  return { deployer, ...makeBuckets(server, deployer.person) };
}

/** Creates buckets and keys with a person's REST client. */
export function makeBuckets(server: RunningServer, api: RestClient): BucketMaker {
  const created = async (path: string, json: object) => {
    const response = await api('POST', path, { json });
    if (response.status !== 201) throw new Error(`${path}: ${response.status} ${response.text}`);
    return objectOf(response);
  };
  return {
    async createBucket(name, options = {}) {
      const { id } = await created('/api/v1/storage/buckets', { name, region: 'qc-south-1', ...options });
      return { id: String(id), name };
    },
    async createKeys(bucketIds, permissions = ['read', 'write'], more = {}) {
      const scopes = bucketIds.map((id) => ({ resource_type: 'bucket', resource_id: id, permissions }));
      const response = await created('/api/v1/credentials', { name: 's3', scopes, ...more });
      const credential = response.credential as { id: string; public_key: string };
      return {
        id: credential.id,
        accessKeyId: credential.public_key,
        secretAccessKey: String(response.secret_key),
      };
    },
    client: (credentials, config = {}) =>
      new S3Client({
        endpoint: `http://127.0.0.1:${server.s3Port}`,
        region: 'qc-south-1',
        forcePathStyle: true,
        credentials,
        ...config,
      }),
  };
}
