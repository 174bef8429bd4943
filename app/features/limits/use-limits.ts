import { trpc } from '../../trpc.ts';
import { useOrganization } from '../organizations/use-organization.ts';

/** What the organization at hand has of everything that is limited. */
export function useLimits() {
  const { organization } = useOrganization();
  return trpc.organizations.limits.useQuery({ organization_id: organization.id });
}
