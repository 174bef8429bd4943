import type { Membership } from '#server/services/organizations/schema.ts';
import { trpc } from '../../../trpc.ts';

/** Enough to name a contact, and to know whether there is more than one. */
const OWNERS_ASKED = 3;

/** Returns the first owners of an organization, and whether the current member is the only one. */
export function useOwners({ organization, permission }: Membership): {
  names: string[];
  isLastOwner: boolean;
} {
  // Owners come first in the list.
  const { data } = trpc.organizations.members.useQuery({
    organization_id: organization.id,
    limit: OWNERS_ASKED,
  });
  const owners = data?.items.filter((member) => member.permission === 'owner') ?? [];
  return {
    names: owners.map((owner) => owner.full_name || owner.login),
    isLastOwner: permission === 'owner' && owners.length === 1,
  };
}
