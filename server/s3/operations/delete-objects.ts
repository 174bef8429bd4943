import { readBodyOfChange } from '../body/read-body.ts';
import type { S3Call, S3Response } from '../call.ts';
import { toDeleteCondition } from '../fields/conditions.ts';
import type { DeleteCondition } from '../ports.ts';
import { S3Error } from '../s3-error.ts';
import { S3_LIMITS } from '../s3-limits.ts';
import { requireKey } from '../s3-request.ts';
import { childrenOf, readLongXml, requireText, textOf } from '../xml/read-xml.ts';
import { writeXml, type XmlFields } from '../xml/write-xml.ts';

/** What a client asks for. */
interface AskedDeletion {
  readonly wanted: readonly { key: string; version: string | null; condition: DeleteCondition }[];
  readonly isQuiet: boolean;
}

/** @throws MalformedXML, InvalidArgument */
async function readDeletion(body: string, takeTurn: () => Promise<void>): Promise<AskedDeletion> {
  const root = await readLongXml(body, 'Delete', takeTurn);
  const objects = childrenOf(root, 'Object');
  if (objects.length === 0 || objects.length > S3_LIMITS.deleteKeysMax) throw new S3Error('MalformedXML');
  const wanted = objects.map((object) => {
    const key = textOf(object, 'Key');
    if (key === null || key === '') throw new S3Error('MalformedXML');
    const condition = toDeleteCondition({
      etag: textOf(object, 'ETag'),
      size: textOf(object, 'Size'),
      modifiedAt: textOf(object, 'LastModifiedTime'),
    });
    return { key, version: textOf(object, 'VersionId'), condition };
  });
  return { wanted, isQuiet: textOf(root, 'Quiet')?.trim().toLowerCase() === 'true' };
}

/** DeleteObjects: up to 1,000 keys, each with its own result. */
export async function deleteObjects(call: S3Call): Promise<S3Response> {
  const { bucket, ports } = call;
  const body = await readBodyOfChange(call, S3_LIMITS.deleteXmlBytesMax, { isChecksumRequired: true });
  requireText(body);
  const { wanted, isQuiet } = await ports.asLongWork(bucket, () => readDeletion(body, call.takeTurn));
  const Deleted: XmlFields[] = [];
  const errors: XmlFields[] = [];
  for (const { key, version, condition } of wanted) {
    try {
      requireKey(key);
      if (version !== null && version !== 'null') throw new S3Error('NoSuchVersion');
      await ports.deleteObject(bucket, key, condition);
      Deleted.push({ Key: key, ...(version !== null && { VersionId: version }) });
    } catch (error) {
      if (!(error instanceof S3Error)) throw error;
      errors.push({ Key: key, VersionId: version, Code: error.code, Message: error.message });
    }
  }
  return { status: 200, body: writeXml('DeleteResult', { ...(!isQuiet && { Deleted }), Error: errors }) };
}
