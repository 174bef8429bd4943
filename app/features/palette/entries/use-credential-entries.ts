import { IconKey } from '@tabler/icons-react';
import { keepPreviousData } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { trpc } from '../../../trpc.ts';
import { useHomeOrganization } from '../../organizations/use-organization.ts';
import { AT_HAND, type FoundEntries, foundOnce } from './found-entries.ts';

/** Returns the organization's newest credentials, and those that the server finds by `search`. */
export function useCredentialEntries(search: string): FoundEntries {
  const { organization } = useHomeOrganization();
  const router = useRouter();
  const of = { organization_id: organization.id };
  const nearest = trpc.credentials.page.useQuery({ ...of, limit: AT_HAND });
  const searched = trpc.credentials.page.useQuery(
    { ...of, search, limit: AT_HAND },
    { enabled: search !== '', placeholderData: keepPreviousData },
  );
  const { found, ...state } = foundOnce(nearest, searched);
  return {
    ...state,
    entries: found.map(({ id, name, public_key }) => ({
      id: `credential ${id}`,
      label: name,
      detail: public_key,
      icon: IconKey,
      run: () =>
        void router.navigate({
          to: '/$orgId/credentials',
          params: { orgId: organization.id },
          search: { edit: id },
        }),
    })),
  };
}
