import type { Endpoint } from '#server/services/cdn/schema.ts';
import { isNotFound } from '../../../i18n/errors/read-error.ts';
import { trpc } from '../../../trpc.ts';
import { isSettling } from '../endpoint-status.ts';
import { useEndpointParams } from './use-endpoint-params.ts';

/** While a certificate is being issued, its steps are shown. */
const UNDER_WAY_MS = 1200;
/** While records or a certificate are awaited. */
const SETTLING_MS = 5000;
const SETTLED_MS = 60_000;

/**
 * Returns the endpoint of the address, kept up to date while the page is visible; when it was read, which
 * serves as "now" on the server and in the browser alike; and whether it was deleted meanwhile.
 */
export function useEndpoint(): { endpoint: Endpoint; readAt: number; isGone: boolean } {
  const [endpoint, query] = trpc.cdn.get.useSuspenseQuery(useEndpointParams(), {
    refetchInterval: ({ state }) => (state.data ? pauseFor(state.data, state.dataUpdatedAt) : false),
    refetchOnWindowFocus: 'always',
  });
  return { endpoint, readAt: query.dataUpdatedAt, isGone: isNotFound(query.error) };
}

function pauseFor(endpoint: Endpoint, now: number): number {
  const { bundle } = endpoint;
  if (bundle && (bundle.step !== null || isDue(bundle.next_attempt_at, now))) return UNDER_WAY_MS;
  return isSettling(endpoint) ? SETTLING_MS : SETTLED_MS;
}

/**
 * Whether an attempt begins before the next slow poll, as it does right after the challenge record was found.
 */
function isDue(nextAttemptAt: string | null, now: number): boolean {
  return nextAttemptAt !== null && Date.parse(nextAttemptAt) - now < SETTLING_MS;
}
