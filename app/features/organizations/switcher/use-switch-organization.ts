import { useRouter } from '@tanstack/react-router';
import { trpc } from '../../../trpc.ts';

/**
 * Returns a function that moves the person to another organization: the server is told first, then the first
 * segment of the address is replaced. Path, search and hash stay, and the history gets no entry.
 */
export function useSwitchOrganization(heard: { onSwitched?: () => void; onFailed?: () => void }) {
  const router = useRouter();
  const utils = trpc.useUtils();
  const setContext = trpc.organizations.setContext.useMutation({
    onSuccess: (context) => {
      utils.organizations.context.setData(undefined, context);
      heard.onSwitched?.();
      // Not awaited: a page that asks before it is left may keep the person where they are.
      void router.navigate({
        href: withOrganization(router.latestLocation.href, context.organization_id),
        replace: true,
      });
    },
    onError: heard.onFailed,
  });
  return {
    switchTo: (organizationId: string) => {
      if (!setContext.isPending) setContext.mutate({ organization_id: organizationId });
    },
    /** The organization that the server is being told about. */
    pendingId: setContext.isPending ? setContext.variables.organization_id : null,
    error: setContext.error,
    /** Forgets an earlier failure. */
    forget: setContext.reset,
  };
}

/** Onboarding is never prefixed: its return path says which organization it is about, and it starts over. */
const ONBOARDING = /^\/onboarding(?:$|[/?#])/;

/** Pages that belong to a person, or to another organization: nothing of their addresses can be kept. */
const OUTSIDE = /^\/(?:identity|operator)(?:$|[/?#])/;

/** Returns an address of the console in another organization. */
export function withOrganization(href: string, organizationId: string): string {
  if (OUTSIDE.test(href)) return `/${organizationId}`;
  if (ONBOARDING.test(href)) {
    const back = new URLSearchParams(/\?([^#]*)/.exec(href)?.[1]).get('return_to') ?? '/';
    return `/onboarding?${new URLSearchParams({ return_to: withOrganization(back, organizationId) })}`;
  }
  return href.replace(/^\/[^/?#]*/, `/${organizationId}`);
}
