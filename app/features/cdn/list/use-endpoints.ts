import { trpc } from '../../../trpc.ts';
import { isSettling } from '../endpoint-status.ts';

/** How often a list is read again while something in it is awaited and the page is visible. */
const SETTLING_MS = 15_000;

/**
 * Returns the organization's endpoints, or those of one site; they follow changes of DNS and certificates.
 */
export function useEndpoints(of: { organization_id: string; site_id?: string }) {
  return trpc.cdn.list.useQuery(of, {
    refetchInterval: ({ state }) => (state.data?.some(isSettling) ? SETTLING_MS : false),
  });
}
