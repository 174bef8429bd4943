import { type OrganizationContext, requireAction } from '#server/context.ts';

/**
 * Goes on when the actor may create and delete buckets: administrators, and credentials that one of them has allowed to.
 * @throws permission_required, organization_suspended, unauthenticated
 */
export function requireBucketRight(context: OrganizationContext): void {
  const { actor } = context;
  const isAllowed = actor.kind === 'credential' && actor.mayCreateBuckets === true;
  requireAction(context, isAllowed ? 'object.write' : 'bucket.manage');
}
