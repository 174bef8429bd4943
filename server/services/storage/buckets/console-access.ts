import { createHmac } from 'node:crypto';
import type { App } from '#server/context.ts';
import type { S3Access } from '#server/s3/ports.ts';
import { findMembershipNow } from '../../organizations/members/find-membership-now.ts';
import { isAllowed } from '../../organizations/rules.ts';

const PREFIX = 'console';

/** Keys with which the console signs addresses for a person viewing a bucket; they are not stored. */
export function consoleKeys(
  { sealer }: Pick<App, 'sealer'>,
  ids: { organizationId: string; userId: string; bucketId: string },
): Pick<S3Access, 'accessKeyId' | 'secretKey'> {
  const accessKeyId = [PREFIX, ids.organizationId, ids.userId, ids.bucketId].join('.');
  const secretKey = createHmac('sha256', sealer.deriveKey('console-s3')).update(accessKeyId).digest('hex');
  return { accessKeyId, secretKey };
}

/** Whether an access key is one of the console's. */
export function isConsoleKey(accessKeyId: string): boolean {
  return /^console\.[\w-]{1,64}\.[\w-]{1,64}\.[\w-]{1,64}$/.test(accessKeyId);
}

/** Returns the person behind such a key; null for the key of a credential. */
export function consolePersonOf(accessKeyId: string): string | null {
  return isConsoleKey(accessKeyId) ? (accessKeyId.split('.')[2] ?? null) : null;
}

/**
 * Returns the access of the person behind such a key to the bucket, or null for none: leaving the
 * organization, its suspension, or a block of the person invalidates all addresses.
 */
export async function findConsoleAccess(app: App, accessKeyId: string): Promise<S3Access | null> {
  const [, organizationId = '', userId = '', bucketId = ''] = accessKeyId.split('.');
  const membership = await findMembershipNow(app, userId, organizationId);
  if (!membership?.features.includes('object_storage')) return null;
  const { permission, organizationName } = membership;
  return {
    ...consoleKeys(app, { organizationId, userId, bucketId }),
    credentialId: accessKeyId,
    credentialName: PREFIX,
    ownerId: organizationId,
    ownerName: organizationName,
    mayCreateBuckets: false,
    mayReach: (id, asked) => id === bucketId && isAllowed(permission, `object.${asked}`),
  };
}
