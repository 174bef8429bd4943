import type { S3Access } from '../ports.ts';
import { S3Error } from '../s3-error.ts';

/**
 * Returns when a credential may create and delete buckets, and decide who reads them.
 * @throws AccessDenied
 */
export function requireBucketRight(
  { mayCreateBuckets }: S3Access,
  to: 'create buckets' | 'delete buckets' | 'say who reads a bucket',
): void {
  if (mayCreateBuckets) return;
  throw new S3Error('AccessDenied', `This credential may not ${to}; the console says which may.`);
}
