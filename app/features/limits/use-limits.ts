import { trpc } from '../../trpc.ts';

/** What an organization has of everything that is limited. */
export function useLimits(organizationId: string) {
  return trpc.organizations.limits.useQuery({ organization_id: organizationId });
}
