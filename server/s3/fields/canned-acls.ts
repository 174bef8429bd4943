import { S3Error } from '../s3-error.ts';

/** Canned lists that change nothing: stored content belongs only to the bucket's owner. */
const PRIVATE_ACLS = ['private', 'bucket-owner-full-control', 'bucket-owner-read'];
/** Those that grant something to people outside the organization. */
const PUBLIC_ACLS = ['public-read', 'public-read-write', 'authenticated-read'];
const OTHER_ACLS = ['aws-exec-read', 'log-delivery-write'];

/** Whether a canned access list changes nothing. */
export function isPrivateAcl(acl: string): boolean {
  return PRIVATE_ACLS.includes(acl);
}

/** Whether a canned access list is one that a public access block forbids. */
export function isPublicAcl(acl: string): boolean {
  return PUBLIC_ACLS.includes(acl);
}

/** @throws InvalidArgument unless S3 has a canned access list of this name */
export function requireCannedAcl(acl: string | null): void {
  if (acl === null || [...PRIVATE_ACLS, ...PUBLIC_ACLS, ...OTHER_ACLS].includes(acl)) return;
  throw S3Error.ofArgument('x-amz-acl', acl);
}

/** Whether these headers or form fields grant something to somebody. */
export function hasGrants(names: Iterable<string>): boolean {
  return [...names].some((name) => name.startsWith('x-amz-grant-'));
}
