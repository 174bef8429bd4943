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
    // Leave its page first: pages there report the end of the membership as news.
    await router.navigate({ to: '/' });
    // If this fails, the next page says so itself.
    await utils.organizations.list.fetch(undefined, { staleTime: 0 }).catch(() => undefined);
    void utils.organizations.publicProfile.invalidate();
  };
}
