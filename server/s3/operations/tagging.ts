import { type ObjectCall, requireNullVersion, requireObject, type S3Answer } from '../call.ts';
import { readSmallBody } from '../read-body.ts';
import { S3_LIMITS } from '../s3-limits.ts';
import { readTagging } from '../tags.ts';
import { writeXml } from '../xml/write-xml.ts';

/** GetObjectTagging: ordered by key; an object without tags has an empty set. */
export async function getObjectTagging(call: ObjectCall): Promise<S3Answer> {
  requireNullVersion(call.request);
  const { tags } = await requireObject(call);
  const sorted = tags.toSorted(([one], [other]) => (one < other ? -1 : 1));
  const Tag = sorted.map(([Key, Value]) => ({ Key, Value }));
  return { status: 200, body: writeXml('Tagging', { TagSet: { Tag } }) };
}

/** PutObjectTagging. */
export async function putObjectTagging(call: ObjectCall): Promise<S3Answer> {
  const { request, authenticated, bucket, key, ports } = call;
  requireNullVersion(request);
  const tags = readTagging(await readSmallBody(request, authenticated, S3_LIMITS.otherXmlBytesMax));
  await ports.setTags(bucket, key, tags);
  return { status: 200 };
}

/** DeleteObjectTagging. */
export async function deleteObjectTagging({ request, bucket, key, ports }: ObjectCall): Promise<S3Answer> {
  requireNullVersion(request);
  await ports.setTags(bucket, key, []);
  return { status: 204 };
}
