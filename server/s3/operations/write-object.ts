import { checksumHeaders, DEFAULT_CHECKSUM } from '../body/checksums.ts';
import { readContentHead, receiveContent } from '../body/sent-content.ts';
import { storeObject } from '../body/store-content.ts';
import { type ObjectCall, receiverOf, requireNullVersion, type S3Response } from '../call.ts';
import { readDeleteCondition, readWriteCondition } from '../fields/conditions.ts';
import { readObjectHeaders } from '../fields/object-headers.ts';
import type { S3Object } from '../ports.ts';

/** PutObject. The object is complete and durable when the response is sent. */
export async function putObject(call: ObjectCall): Promise<S3Response> {
  const { request, authenticated } = call;
  const told = readObjectHeaders(request);
  const condition = readWriteCondition(request);
  const head = readContentHead(request, authenticated);
  const algorithm = head.algorithm ?? DEFAULT_CHECKSUM;
  const content = await receiveContent(call, receiverOf(call), head, algorithm);
  const object = await storeObject(call, content, told, condition);
  return { status: 200, headers: writtenHeaders(object), receivedBytes: content.piece.size };
}

/** Returns the response headers of a write. */
export function writtenHeaders({
  etag,
  checksum,
}: Pick<S3Object, 'etag' | 'checksum'>): Record<string, string> {
  return {
    etag: `"${etag}"`,
    ...(checksum && checksumHeaders(checksum)),
  };
}

/** DeleteObject: a missing object is not an error. */
export async function deleteObject({ request, bucket, key, ports }: ObjectCall): Promise<S3Response> {
  requireNullVersion(request);
  await ports.deleteObject(bucket, key, readDeleteCondition(request));
  return { status: 204 };
}
