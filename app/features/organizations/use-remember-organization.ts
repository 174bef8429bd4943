import { useEffect, useRef } from 'react';
import { trpc } from '../../trpc.ts';
import { useMemberships } from './memberships-provider.tsx';

/**
 * Tells the server about the current organization, once for each organization that the address names; when
 * that fails, the server's own context is loaded again.
 */
export function useRememberOrganization(): void {
  const { membership } = useMemberships();
  const organizationId = membership?.organization.id;
  const utils = trpc.useUtils();
  const [stored] = trpc.organizations.context.useSuspenseQuery();
  const { mutate } = trpc.organizations.setContext.useMutation({
    onSuccess: (context) => utils.organizations.context.setData(undefined, context),
    onError: () => utils.organizations.context.invalidate(),
  });
  const storedId = stored.organization_id;
  const told = useRef<string>(undefined);
  useEffect(() => {
    if (organizationId === undefined || told.current === organizationId) return;
    told.current = organizationId;
    if (storedId !== organizationId) mutate({ organization_id: organizationId });
  }, [storedId, organizationId, mutate]);
}
