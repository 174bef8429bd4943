import { IconKey } from '@tabler/icons-react';
import { useRouter } from '@tanstack/react-router';
import { trpc } from '../../trpc.ts';
import { useHomeOrganization } from '../organizations/use-organization.ts';
import type { FoundEntries } from './found-entries.ts';

/** Returns the organization's credentials. */
export function useCredentialEntries(): FoundEntries {
  const { organization } = useHomeOrganization();
  const router = useRouter();
  const { data = [], isError } = trpc.credentials.list.useQuery({ organization_id: organization.id });
  return {
    hasFailed: isError,
    entries: data.map(({ id, name, public_key }) => ({
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
