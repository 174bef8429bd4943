import { type OrganizationContext, requireAction } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { Action } from './rules.ts';

/**
 * Requires that the actor may do this with the organization itself, its members and its log. A credential
 * never may: its scopes name sites and buckets, not people.
 * @throws person_required, permission_required, organization_suspended, unauthenticated
 */
export function requireOrganizationRight(
  context: OrganizationContext,
  action: Extract<Action, `organization.${string}` | `member.${string}` | `audit.${string}`>,
): void {
  if (context.actor.kind === 'credential') throw new AppError('person_required');
  requireAction(context, action);
}
