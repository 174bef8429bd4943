import { readSmallBody } from '../body/read-body.ts';
import { type ObjectCall, requireNullVersion, requireObject, type S3Call, type S3Response } from '../call.ts';
import { hasGrants, isPrivateAcl, requireCannedAcl } from '../fields/canned-acls.ts';
import type { S3Access } from '../ports.ts';
import { S3Error } from '../s3-error.ts';
import { S3_LIMITS } from '../s3-limits.ts';
import { headerOf } from '../s3-request.ts';
import { childrenOf, readXml, textOf } from '../xml/read-xml.ts';
import { writeXml, type XmlFields } from '../xml/write-xml.ts';
import { ownerFields } from './xml-fields.ts';

/** The list of every bucket and object: its owner has full control, and nobody else any. */
export function aclFields({ access }: Pick<S3Call, 'access'>): XmlFields {
  const owner = ownerFields(access);
  const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="CanonicalUser"';
  return {
    Owner: owner,
    AccessControlList: { Grant: { [`Grantee ${xsi}`]: owner, Permission: 'FULL_CONTROL' } },
  };
}

/** PutBucketAcl: everything belongs to the bucket's owner, which a list may say, as a canned one or written out, and nothing else. */
export async function putBucketAcl(call: S3Call): Promise<S3Response> {
  const { request, access } = call;
  const canned = headerOf(request, 'x-amz-acl');
  requireCannedAcl(canned);
  const isSame =
    !hasGrants(request.headerValues.keys()) &&
    (canned === null
      ? isOwnersAlone(await readSmallBody(call, S3_LIMITS.otherXmlBytesMax), access)
      : isPrivateAcl(canned));
  if (!isSame) throw new S3Error('AccessControlListNotSupported');
  return { status: 200 };
}

/** Whether a list grants everything to the owner and nothing to others: clients write back what they have read. */
function isOwnersAlone(xml: string, { ownerId }: S3Access): boolean {
  if (xml === '') return false;
  const [list] = childrenOf(readXml(xml, 'AccessControlPolicy'), 'AccessControlList');
  const grantsGiven = list === undefined ? [] : childrenOf(list, 'Grant');
  return (
    grantsGiven.length === 1 &&
    grantsGiven.every((grant) => {
      const [grantee] = childrenOf(grant, 'Grantee');
      return grantee && textOf(grantee, 'ID') === ownerId && textOf(grant, 'Permission') === 'FULL_CONTROL';
    })
  );
}

/** PutObjectAcl: the same for an object. */
export async function putObjectAcl(call: ObjectCall): Promise<S3Response> {
  requireNullVersion(call.request);
  await requireObject(call);
  return putBucketAcl(call);
}

/** GetObjectAcl: everything belongs to the bucket's owner. */
export async function getObjectAcl(call: ObjectCall): Promise<S3Response> {
  requireNullVersion(call.request);
  await requireObject(call);
  return { status: 200, body: writeXml('AccessControlPolicy', aclFields(call)) };
}
