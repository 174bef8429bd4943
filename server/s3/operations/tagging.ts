import { readBodyOfChange } from '../body/read-body.ts';
import { type ObjectCall, requireNullVersion, requireObject, type S3Call, type S3Response } from '../call.ts';
import { readTagging } from '../fields/tags.ts';
import { S3Error } from '../s3-error.ts';
import { S3_LIMITS } from '../s3-limits.ts';
import { writeTagging } from './xml-fields.ts';

/** GetObjectTagging: ordered by key; an object without tags has an empty set. */
export async function getObjectTagging(call: ObjectCall): Promise<S3Response> {
  requireNullVersion(call.request);
  const { tags } = await requireObject(call);
  const sorted = tags.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return { status: 200, body: writeTagging(sorted) };
}

/** PutObjectTagging. */
export async function putObjectTagging(call: ObjectCall): Promise<S3Response> {
  const { request, bucket, key, ports } = call;
  requireNullVersion(request);
  const tags = readTagging(await readBodyOfChange(call, S3_LIMITS.otherXmlBytesMax));
  await ports.setTags(bucket, key, tags);
  return { status: 200 };
}

/** DeleteObjectTagging. */
export async function deleteObjectTagging({ request, bucket, key, ports }: ObjectCall): Promise<S3Response> {
  requireNullVersion(request);
  await ports.setTags(bucket, key, []);
  return { status: 204 };
}

/** GetBucketTagging. */
export async function getBucketTagging({ bucket }: S3Call): Promise<S3Response> {
  if (bucket.tags.length === 0) throw new S3Error('NoSuchTagSet', undefined, { BucketName: bucket.name });
  return { status: 200, body: writeTagging(bucket.tags) };
}

/** PutBucketTagging. */
export async function putBucketTagging(call: S3Call): Promise<S3Response> {
  const { access, bucket, ports } = call;
  const body = await readBodyOfChange(call, S3_LIMITS.otherXmlBytesMax, { isChecksumRequired: true });
  await ports.setBucketTags(bucket, access, readTagging(body, S3_LIMITS.bucketTagsMax));
  return { status: 204 };
}

/** DeleteBucketTagging. */
export async function deleteBucketTagging({ access, bucket, ports }: S3Call): Promise<S3Response> {
  await ports.setBucketTags(bucket, access, []);
  return { status: 204 };
}
