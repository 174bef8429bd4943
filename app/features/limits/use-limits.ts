import { trpc } from '../../trpc.ts';

/** Returns an organization's use of everything that is limited. */
export function useLimits(organizationId: string) {
  return trpc.organizations.limits.useQuery({ organization_id: organizationId });
}
