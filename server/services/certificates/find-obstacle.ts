import type { App } from '#server/context.ts';
import { IssueFailure } from './issue-failure.ts';
import { challengeName, isLocalName } from './rules.ts';
import type { IssuableBundle } from './select-issuable.ts';

/** Returns what is known to make an order fail, or null. It is looked at before anything is asked of the authority. */
export async function findObstacle(app: App, bundle: IssuableBundle): Promise<IssueFailure | null> {
  if (isLocalName(bundle.domain_name)) {
    return app.authority.needsProof
      ? new IssueFailure(
          'refused',
          'Names below .localhost belong to every machine: no public authority certifies them.',
        )
      : null;
  }
  // The platform's own names need no proof to the authority of this installation.
  if (bundle.organization_id === null && !app.authority.needsProof) return null;
  return bundle.dns_challenge_validated_at === null
    ? new IssueFailure('challenge_missing', challengeName(bundle.domain_name))
    : null;
}
