import type { RequestContext } from '../context.ts';
import { addressKey, type RateLimitName, type RateLimitWindow } from './rate-limits.ts';

/**
 * Returns the name under which an actor's requests are counted and remembered, or null for an anonymous one.
 */
export function principalOf({ actor }: RequestContext): string | null {
  if (actor.kind === 'person') return `person ${actor.userId}`;
  if (actor.kind === 'operator') return `operator ${actor.tokenId ?? actor.userId ?? actor.name}`;
  return actor.kind === 'credential' ? `credential ${actor.credentialId}` : null;
}

/**
 * Counts requests of the actor, by principal or otherwise by address, over all surfaces, and returns the
 * windows.
 * @throws RateLimitExceeded
 */
export async function countRequests(
  context: RequestContext,
  limit: Extract<RateLimitName, 'api_principal' | 'api_upload_principal'>,
  count = 1,
): Promise<RateLimitWindow> {
  const principal = principalOf(context) ?? `address ${addressKey(context.address)}`;
  return context.app.rateLimits.consume(limit, principal, count);
}
