import { type OrganizationContext, requireAction } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { Action } from '../organizations/rules.ts';

/**
 * Requires that the actor may do this with credentials or webhooks. A credential never may, whatever its
 * scopes, because it could extend itself; nor may an operator, who sees no customer's keys and suspends an
 * organization instead.
 * @throws person_required, permission_required, unauthenticated
 */
export function requireCredentialRight(
  context: OrganizationContext,
  action: Extract<Action, `credential.${string}` | `webhook.${string}`>,
): void {
  const { kind } = context.actor;
  if (kind === 'credential' || kind === 'operator') throw new AppError('person_required');
  requireAction(context, action);
}
