import { useRouter } from '@tanstack/react-router';
import { trpc } from '../../trpc.ts';

/** Returns what opens an organization in the console that the person has just come to belong to. */
export function useEnterOrganization(): (organizationId: string) => Promise<void> {
  const router = useRouter();
  const utils = trpc.useUtils();
  return async (organizationId) => {
    // The console knows an organization by this list: a remembered one would call the new one unknown.
    await utils.organizations.list.fetch(undefined, { staleTime: 0 });
    await router.navigate({ to: '/$orgId', params: { orgId: organizationId } });
  };
}
