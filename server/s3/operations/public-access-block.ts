import { readBodyOfChange } from '../body/read-body.ts';
import type { S3Call, S3Response } from '../call.ts';
import { isPublicAcl } from '../fields/canned-acls.ts';
import type { PublicAccessBlock, S3Bucket } from '../ports.ts';
import { S3Error } from '../s3-error.ts';
import { S3_LIMITS } from '../s3-limits.ts';
import { headerOf, type S3Request } from '../s3-request.ts';
import { childrenOf, readXml, type XmlElement } from '../xml/read-xml.ts';
import { writeXml } from '../xml/write-xml.ts';
import { requireBucketRight } from './bucket-right.ts';

const ROOT = 'PublicAccessBlockConfiguration';

/** GetPublicAccessBlock. */
export async function getPublicAccessBlock({ bucket }: S3Call): Promise<S3Response> {
  const { publicAccessBlock: block } = bucket;
  if (block === null) {
    throw new S3Error('NoSuchPublicAccessBlockConfiguration', undefined, { BucketName: bucket.name });
  }
  return {
    status: 200,
    body: writeXml(ROOT, {
      BlockPublicAcls: block.blockPublicAcls,
      IgnorePublicAcls: block.ignorePublicAcls,
      BlockPublicPolicy: block.blockPublicPolicy,
      RestrictPublicBuckets: block.restrictPublicBuckets,
    }),
  };
}

/** PutPublicAccessBlock: by a credential that may say who reads the bucket. */
export async function putPublicAccessBlock(call: S3Call): Promise<S3Response> {
  const { access, bucket, ports } = call;
  const root = readXml(await readBodyOfChange(call, S3_LIMITS.otherXmlBytesMax), ROOT);
  requireBucketRight(access, 'say who reads a bucket');
  if (root.children.length === 0) {
    throw new S3Error('InvalidRequest', 'Must specify at least one configuration.');
  }
  const block: PublicAccessBlock = {
    blockPublicAcls: readSwitch(root, 'BlockPublicAcls'),
    ignorePublicAcls: readSwitch(root, 'IgnorePublicAcls'),
    blockPublicPolicy: readSwitch(root, 'BlockPublicPolicy'),
    restrictPublicBuckets: readSwitch(root, 'RestrictPublicBuckets'),
  };
  await ports.setPublicAccessBlock(bucket, access, block);
  return { status: 200 };
}

/** DeletePublicAccessBlock: what the policy says counts again. */
export async function deletePublicAccessBlock(call: S3Call): Promise<S3Response> {
  const { access, bucket, ports } = call;
  if (bucket.publicAccessBlock !== null) {
    requireBucketRight(access, 'say who reads a bucket');
    await ports.setPublicAccessBlock(bucket, access, null);
  }
  return { status: 204 };
}

/** False when absent. @throws MalformedXML for anything but a boolean of XML Schema */
function readSwitch(root: XmlElement, name: string): boolean {
  const found = childrenOf(root, name);
  const text = found[0]?.text.trim().toLowerCase() ?? 'false';
  if (found.length > 1 || !['true', 'false', '1', '0'].includes(text)) throw new S3Error('MalformedXML');
  return text === 'true' || text === '1';
}

/**
 * Refuses public access lists as a bucket that blocks them does.
 * @throws AccessDenied
 */
export function refuseBlockedAcl(request: S3Request, { publicAccessBlock }: S3Bucket): void {
  const acl = headerOf(request, 'x-amz-acl');
  if (publicAccessBlock?.blockPublicAcls && acl !== null && isPublicAcl(acl)) {
    throw new S3Error('AccessDenied', 'Public access lists are blocked by the BlockPublicAcls setting.');
  }
}
