import { Trans } from '@lingui/react/macro';
import { Stack } from '@mantine/core';
import { useMatch } from '@tanstack/react-router';
import type { BillingStatus } from '#server/services/billing/schema.ts';
import { AnchorLink } from '../../components/links.tsx';
import { PaymentProblems } from './payment-methods/payment-problems.tsx';
import { SetUpAlert } from './set-up-alert.tsx';

/** By when billing must be set up, on every page; and what could not be charged, on the dashboard of whoever can pay it. */
export default function BillingAlert(props: { organizationId: string; status: BillingStatus }) {
  const { organizationId, status } = props;
  const { readiness, set_up_by: setUpBy, may_manage: mayManage, has_payment_problem: isUnpaid } = status;
  const isDashboard = useMatch({ from: '/$orgId/', shouldThrow: false }) !== undefined;
  return (
    <>
      {readiness === 'grace' && setUpBy !== null && (
        <SetUpAlert organizationId={organizationId} setUpBy={setUpBy} mayManage={mayManage} />
      )}
      {isUnpaid && mayManage && isDashboard && (
        <Stack mb="lg">
          <PaymentProblems
            organizationId={organizationId}
            action={
              <AnchorLink to="/$orgId/billing" params={{ orgId: organizationId }} underline="always" inherit>
                <Trans>Payment methods</Trans>
              </AnchorLink>
            }
          />
        </Stack>
      )}
    </>
  );
}
