import { runForAsker } from '#db/asker.ts';
import type { App } from '#server/context.ts';
import type { S3Ports } from '#server/s3/ports.ts';
import { AccessCache } from './access-cache.ts';
import { findBucket, listReachedBuckets } from './bucket-queries.ts';
import {
  createBucketFor,
  deleteBucketFor,
  setBucketTags,
  setCorsRules,
  setPublicAccessBlock,
  setPublicRead,
} from './s3-buckets.ts';

type BucketPorts = Pick<
  S3Ports,
  | 'findAccess'
  | 'findBucket'
  | 'listBuckets'
  | 'createBucket'
  | 'deleteBucket'
  | 'setCorsRules'
  | 'setBucketTags'
  | 'setPublicRead'
  | 'setPublicAccessBlock'
>;

/** Returns the part of the S3 service's ports that is about access keys and buckets. */
export function createBucketPorts(app: App): BucketPorts {
  const { db } = app;
  const accesses = new AccessCache(app);
  const forOwner = <T>({ ownerId }: { ownerId: string }, work: () => T): T => runForAsker(ownerId, work);
  return {
    findAccess: (accessKeyId) => accesses.find(accessKeyId),
    findBucket: (name) => findBucket(db, name),
    listBuckets: (access) => forOwner(access, () => listReachedBuckets(db, access)),
    async createBucket(access, name, tags) {
      await forOwner(access, () => createBucketFor(app, access, name, tags));
      // The credential now has access to one more bucket.
      accesses.forget(access.accessKeyId);
    },
    deleteBucket: (bucket, access) => forOwner(bucket, () => deleteBucketFor(app, bucket, access)),
    setCorsRules: (bucket, access, rules) => forOwner(bucket, () => setCorsRules(app, bucket, access, rules)),
    setPublicRead: (bucket, access, isPublic) =>
      forOwner(bucket, () => setPublicRead(app, bucket, access, isPublic)),
    setPublicAccessBlock: (bucket, access, block) =>
      forOwner(bucket, () => setPublicAccessBlock(app, bucket, access, block)),
    setBucketTags: (bucket, access, tags) => forOwner(bucket, () => setBucketTags(app, bucket, access, tags)),
  };
}
