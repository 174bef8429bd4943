import { createFileRoute, redirect } from '@tanstack/react-router';
import { findBillingStatus } from '../features/billing/find-billing-status.ts';
import { OnboardingPage } from '../features/billing/onboarding/onboarding-page.tsx';
import { stepParam } from '../features/billing/onboarding/onboarding-steps.ts';
import { organizationOfReturn, returnPathIn } from '../features/billing/onboarding/return-path.ts';
import { FrameSkeleton } from '../features/frame/frame-skeleton.tsx';
import { loadMemberships } from '../features/organizations/load-memberships.ts';
import { pageTitle } from '../i18n/page-title.ts';
import { readSearch, textParam } from '../search-params.ts';

const validSearch = readSearch({ step: stepParam, return_to: textParam });

/**
 * Sets up billing, for the organization of the return path, otherwise for the stored one. With a default card
 * it redirects, except from the last step, which says that everything is set up.
 */
export const Route = createFileRoute('/onboarding')({
  validateSearch: validSearch,
  beforeLoad: async ({ context, search: { step, return_to }, location, cause }) => {
    const loaded = await loadMemberships(context);
    if (!loaded) throw redirect({ to: '/login', search: { return_to: location.href }, replace: true });
    if (context.settings.billingMode === 'off') throw redirect({ to: '/', replace: true });
    const named = organizationOfReturn(return_to);
    const isOurs = loaded.memberships.some(({ organization }) => organization.id === named);
    const organizationId = named !== null && isOurs ? named : loaded.stored.organization_id;
    if (step === 'complete' && cause === 'stay') return { organizationId };
    const status = await findBillingStatus(context, organizationId);
    if (status?.readiness !== 'ready') return { organizationId };
    const href = returnPathIn(organizationId, return_to) ?? `/${organizationId}`;
    throw redirect({ href, replace: true });
  },
  head: ({ match }) => ({ meta: [{ title: pageTitle(match.context, 'onboarding') }] }),
  pendingComponent: FrameSkeleton,
  component: Onboarding,
});

function Onboarding() {
  const { organizationId } = Route.useRouteContext();
  return <OnboardingPage key={organizationId} organizationId={organizationId} />;
}
