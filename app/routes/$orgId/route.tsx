import { msg } from '@lingui/core/macro';
import {
  CatchBoundary,
  createFileRoute,
  isNotFound,
  notFound,
  Outlet,
  redirect,
  useParams,
  useRouter,
  useRouterState,
} from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { ErrorScreen } from '../../components/page/error-screen.tsx';
import { isBillingOpen } from '../../features/billing/find-billing-status.ts';
import { AppFrame } from '../../features/frame/app-frame.tsx';
import { FrameSkeleton } from '../../features/frame/frame-skeleton.tsx';
import { PersonsLanguage } from '../../features/frame/persons-language.tsx';
import { loadMemberships } from '../../features/organizations/load-memberships.ts';
import { MembershipsProvider, useMemberships } from '../../features/organizations/memberships-provider.tsx';
import { UnknownOrganization } from '../../features/organizations/unknown-organization.tsx';
import { pageTitle } from '../../i18n/page-title.ts';

/** First segments of console paths: links to them without an organization get the current one. */
const SECTIONS = new Set([
  'sites',
  'cdn',
  'endpoints',
  'storage',
  'credentials',
  'webhooks',
  'usage',
  'audit',
  'billing',
  'settings',
]);

/** Everything signed in: the person, the organization, and the frame around the page. */
export const Route = createFileRoute('/$orgId')({
  beforeLoad: async ({ context, params: { orgId }, location }) => {
    const { trpc } = context;
    const loaded = await loadMemberships(context);
    if (!loaded) throw redirect({ to: '/login', search: { return_to: location.href }, replace: true });
    const isOurs = (entry: { organization: { id: string } }) => entry.organization.id === orgId;
    if (!loaded.memberships.some(isOurs)) {
      if (SECTIONS.has(orgId)) {
        const current = await trpc.organizations.context.fetch(undefined, { staleTime: 0 });
        throw redirect({ href: `/${current.organization_id}${location.href}`, replace: true });
      }
      // The cached list may be older than the membership.
      const memberships = await trpc.organizations.list.fetch(undefined, { staleTime: 0 });
      if (!memberships.some(isOurs)) throw notFound();
    }
    if (await isBillingOpen(context, orgId)) return;
    throw redirect({ to: '/onboarding', search: { return_to: location.href }, replace: true });
  },
  // What a spending limit has stopped is marked on every page.
  loader: async ({ context: { trpc, settings }, params }) => {
    if (settings.billingMode === 'off') return;
    await trpc.billing.limits.prefetch({ organization_id: params.orgId });
  },
  head: ({ match }) => ({
    meta:
      match.status === 'notFound'
        ? [{ title: pageTitle(match.context, { text: match.context.i18n._(msg`Unknown Organization`) }) }]
        : [],
  }),
  pendingComponent: FrameSkeleton,
  component: SignedIn,
  notFoundComponent: NowhereKnown,
});

/** The frame with the page in it. */
function SignedIn() {
  return (
    <Frame>
      <KnownOrganization>
        <PageOrFailure />
      </KnownOrganization>
    </Frame>
  );
}

/** A page whose skeleton could not be loaded fails outside its own boundary, and would take the frame along. */
function PageOrFailure() {
  const match = useRouterState({ select: ({ matches }) => matches.at(-1) });
  return (
    <CatchBoundary
      getResetKey={() => match}
      errorComponent={ErrorScreen}
      onCatch={(error) => {
        if (isNotFound(error)) throw error;
      }}
    >
      <Outlet />
    </CatchBoundary>
  );
}

/** The frame around an address that names none of the person's organizations; it leads to the stored one. */
function NowhereKnown() {
  return (
    <Frame>
      <UnknownOrganization />
    </Frame>
  );
}

function Frame({ children }: { children: ReactNode }) {
  const { orgId } = useParams({ strict: false });
  return (
    <MembershipsProvider orgId={orgId ?? ''}>
      <AppFrame>
        <PersonsLanguage />
        {children}
      </AppFrame>
    </MembershipsProvider>
  );
}

/**
 * When a membership ends while the page is open, the page disappears but the frame stays; the title follows. A
 * navigation that had begun before may end after it, with the title of its page: the router is asked again then.
 */
function KnownOrganization({ children }: { children: ReactNode }) {
  const router = useRouter();
  const isKnown = useMemberships().membership !== null;
  const isIdle = useRouterState({ select: ({ status }) => status === 'idle' });
  useEffect(() => {
    if (!isKnown && isIdle) void router.invalidate();
  }, [isKnown, isIdle, router]);
  return isKnown ? children : <UnknownOrganization />;
}
