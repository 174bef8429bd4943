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
    // A page that cannot be told yet shows that itself.
    await Promise.allSettled([
      utils.organizations.list.fetch(undefined, { staleTime: 0 }),
      utils.organizations.context.fetch(undefined, { staleTime: 0 }),
    ]);
    await router.navigate({ to: '/' });
    void utils.organizations.publicProfile.invalidate();
  };
}
