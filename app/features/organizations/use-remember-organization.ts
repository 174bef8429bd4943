import { useEffect } from 'react';
import { trpc } from '../../trpc.ts';
import { useOrganization } from './use-organization.ts';

/**
 * Tells the server when the address names another organization than the one the session stands in; when that fails, the
 * server's own context is loaded again (spec/console.md, section 4).
 */
export function useRememberOrganization(): void {
  const { organization } = useOrganization();
  const utils = trpc.useUtils();
  const { data: stored } = trpc.organizations.context.useQuery();
  const { mutate } = trpc.organizations.setContext.useMutation({
    onSuccess: (context) => utils.organizations.context.setData(undefined, context),
    onError: () => utils.organizations.context.invalidate(),
  });
  const storedId = stored?.organization_id;
  useEffect(() => {
    if (storedId !== undefined && storedId !== organization.id) mutate({ organization_id: organization.id });
  }, [storedId, organization.id, mutate]);
}
