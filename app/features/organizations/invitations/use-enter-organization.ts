import { useRouter } from '@tanstack/react-router';
import { trpc } from '../../../trpc.ts';

/** Returns a function that opens an organization in the console that the person has just joined. */
export function useEnterOrganization(): (organizationId: string) => Promise<void> {
  const router = useRouter();
  const utils = trpc.useUtils();
  return async (organizationId) => {
    // The console knows organizations by this list: a cached one would not contain the new one.
    // If the list cannot be read now, the page of the organization says so.
    await utils.organizations.list.fetch(undefined, { staleTime: 0 }).catch(() => undefined);
    await router.navigate({ to: '/$orgId', params: { orgId: organizationId } });
  };
}
