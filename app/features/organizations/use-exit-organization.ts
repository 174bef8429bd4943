import { useRouter } from '@tanstack/react-router';
import { trpc } from '../../trpc.ts';

/**
 * Returns a function that leads back to the console from an organization that the person no longer belongs
 * to.
 */
export function useExitOrganization(): () => Promise<void> {
  const router = useRouter();
  const utils = trpc.useUtils();
  return async () => {
    // First away from its page: the end of a membership is told where it is not expected.
    await router.navigate({ to: '/' });
    // A page that cannot be told yet shows that itself.
    await utils.organizations.list.fetch(undefined, { staleTime: 0 }).catch(() => undefined);
    void utils.organizations.publicProfile.invalidate();
  };
}
