import { type OrganizationContext, requireAction } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { Action } from '../organizations/rules.ts';

/**
 * Goes on when the actor may do this with credentials. A credential never may, whatever its scopes: it could widen itself.
 * @throws person_required, permission_required, unauthenticated
 */
export function requireCredentialRight(
  context: OrganizationContext,
  action: Extract<Action, `credential.${string}`>,
): void {
  if (context.actor.kind === 'credential') throw new AppError('person_required');
  requireAction(context, action);
}
