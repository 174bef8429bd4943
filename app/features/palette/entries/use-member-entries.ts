import { IconUser } from '@tabler/icons-react';
import { keepPreviousData } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { trpc } from '../../../trpc.ts';
import { useManagedHandle } from '../../organizations/profile/use-managed-handle.ts';
import { useHomeOrganization } from '../../organizations/use-organization.ts';
import { AT_HAND, type FoundEntries } from './found-entries.ts';

/** Returns the organization's members, to those who manage them. */
export function useMemberEntries(search: string): FoundEntries {
  const { organization } = useHomeOrganization();
  const router = useRouter();
  const handle = useManagedHandle(organization);
  const members = trpc.organizations.members.useQuery(
    { organization_id: organization.id, search: search || undefined, limit: AT_HAND },
    { enabled: handle !== null, placeholderData: keepPreviousData },
  );
  const state = { hasFailed: members.isError, isFetching: members.isFetching };
  if (handle === null) return { ...state, entries: [] };
  return {
    ...state,
    entries: (members.data?.items ?? []).map((member) => ({
      id: `member ${member.user_id}`,
      label: member.full_name || member.login,
      detail: member.email ?? undefined,
      icon: IconUser,
      run: () =>
        void router.navigate({
          to: '/identity/organizations/$handle',
          params: { handle },
          search: { tab: 'members' },
        }),
    })),
  };
}
