import { Trans } from '@lingui/react/macro';
import { Card, Skeleton } from '@mantine/core';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import type { BillingStatus } from '#server/services/billing/schema.ts';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { isNotFound } from '../../../i18n/errors/read-error.ts';
import { trpc } from '../../../trpc.ts';
import { SuspensionBanner } from '../../organizations/suspension-banner.tsx';
import { OnboardingComplete } from './onboarding-complete.tsx';
import { OnboardingContact } from './onboarding-contact.tsx';
import { OnboardingForbidden } from './onboarding-forbidden.tsx';
import { OnboardingFrame } from './onboarding-frame.tsx';
import { OnboardingPayment } from './onboarding-payment.tsx';
import { OnboardingProgress } from './onboarding-progress.tsx';
import { type OnboardingStep, shownStep } from './onboarding-steps.ts';
import { OnboardingWelcome } from './onboarding-welcome.tsx';
import { returnPathIn } from './return-path.ts';

const route = getRouteApi('/onboarding');

/** Guides an organization through the setup of its billing: welcome, contact, card, done. */
export function OnboardingPage({ organizationId }: { organizationId: string }) {
  const router = useRouter();
  const status = trpc.billing.status.useQuery({ organization_id: organizationId });
  return (
    <OnboardingFrame organizationId={organizationId}>
      <SuspensionBanner />
      {status.data && <Wizard organizationId={organizationId} status={status.data} />}
      {!status.data && status.isError && (
        // Reloading runs the guard again, which redirects when nothing is left to set up.
        <ErrorNotice onRetry={() => router.invalidate()}>
          <Trans>Failed to load billing information</Trans>
        </ErrorNotice>
      )}
      {status.isPending && <WizardSkeleton />}
    </OnboardingFrame>
  );
}

function Wizard({ organizationId, status }: { organizationId: string; status: BillingStatus }) {
  const { step: asked, return_to } = route.useSearch();
  const navigate = route.useNavigate();
  const { readiness, may_manage } = status;
  const isReady = readiness === 'ready';
  const customer = trpc.billing.customer.useQuery(
    { organization_id: organizationId },
    { enabled: may_manage && readiness !== 'no_customer' && !isReady, retry: false },
  );
  if (!may_manage && !isReady) return <OnboardingForbidden owners={status.owners} />;
  const hasCustomer = readiness === 'no_payment_method' || customer.data !== undefined;
  if (customer.isLoading) return <WizardSkeleton />;

  const goTo = (step: OnboardingStep, replace = false) =>
    void navigate({ search: { step: step === 'welcome' ? undefined : step, return_to }, replace });
  const step = shownStep(asked, { readiness, hasCustomer });
  const steps: Record<OnboardingStep, () => ReactNode> = {
    welcome: () => <OnboardingWelcome status={status} onStart={() => goTo('billing')} />,
    billing: () =>
      customer.isError && !isNotFound(customer.error) ? (
        <ErrorNotice onRetry={customer.refetch}>
          <Trans>Failed to load billing information</Trans>
        </ErrorNotice>
      ) : (
        <OnboardingContact
          organizationId={organizationId}
          customer={customer.data ?? null}
          onBack={() => goTo('welcome')}
          onDone={() => goTo('payment')}
        />
      ),
    payment: () => (
      <OnboardingPayment
        organizationId={organizationId}
        onBack={() => goTo('billing')}
        onDone={() => goTo('complete', true)}
      />
    ),
    complete: () => <OnboardingComplete returnPath={returnPathIn(organizationId, return_to)} />,
  };
  return (
    <>
      <OnboardingProgress step={step} />
      <Card>
        <Arrival key={step} isFirst={asked === undefined}>
          {steps[step]()}
        </Arrival>
      </Card>
    </>
  );
}

/** Moves the focus to a step that was navigated to, so that it is read out and Tab continues from there. */
function Arrival({ isFirst, children }: { isFirst: boolean; children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isFirst) place.current?.focus();
  }, [isFirst]);
  return (
    <div ref={place} tabIndex={-1} data-place="">
      {children}
    </div>
  );
}

function WizardSkeleton() {
  return (
    <>
      <Skeleton height={44} mb="lg" />
      <Skeleton height={320} radius="lg" />
    </>
  );
}
