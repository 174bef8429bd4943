import type { App } from '../context.ts';

/**
 * Returns the zone of the challenges if our own name server answers for it and an authority must see it there,
 * so that it has to be delegated; otherwise null. An operator's own name server may have the challenge names
 * in a larger zone, where this name has no SOA.
 */
export function delegatedChallengeZone({
  authority,
  challengeUpdates,
  config,
}: Pick<App, 'authority' | 'challengeUpdates' | 'config'>): string | null {
  return authority.needsProof && challengeUpdates === null ? config.acmeZone : null;
}
