import type { Endpoint } from '#server/services/cdn/schema.ts';

/**
 * The current status of an endpoint, including its certificate: `suspended` with its organization, `waiting`
 * for DNS, `ready` for the traffic that still goes elsewhere, `failing` to get or renew its certificate,
 * `expired`, or `live`.
 */
export type EndpointStatus = 'suspended' | 'waiting' | 'ready' | 'failing' | 'expired' | 'live';

/** The facts that determine an endpoint's status. */
export interface StatusFacts {
  proven_at: string | null;
  bundle: Pick<
    NonNullable<Endpoint['bundle']>,
    'dns_validated' | 'dns_challenge_validated' | 'issued_at' | 'valid_until' | 'problem' | 'step'
  > | null;
}

/** Returns the status of an endpoint at the time `now`. */
export function endpointStatus(
  { proven_at, bundle }: StatusFacts,
  isSuspended: boolean,
  now: number,
): EndpointStatus {
  if (isSuspended) return 'suspended';
  if (proven_at === null) return 'waiting';
  if (bundle === null) return 'live';
  const isIssued = bundle.issued_at !== null;
  if (isIssued && bundle.valid_until !== null && Date.parse(bundle.valid_until) <= now) return 'expired';
  // Before there is a certificate, a missing record is what everyone waits for and not a failure.
  if (bundle.problem && (isIssued || bundle.problem.code !== 'challenge_missing')) return 'failing';
  // A record that a renewal needs is gone: there is time, but someone has to know.
  if (isIssued && !bundle.dns_challenge_validated) return 'failing';
  if (bundle.dns_validated) return 'live';
  return isIssued ? 'ready' : 'waiting';
}

/** Whether an endpoint will change soon on its own: its records or its certificate are still awaited. */
export function isSettling({ proven_at, bundle }: StatusFacts): boolean {
  if (proven_at === null) return true;
  return (
    bundle !== null && (bundle.issued_at === null || bundle.step !== null || bundle.dns_validated === false)
  );
}
