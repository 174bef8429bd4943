import { Trans } from '@lingui/react/macro';
import { Stack } from '@mantine/core';
import { SectionCard } from '../../components/page/section-card.tsx';
import { useSettings } from '../../use-settings.ts';
import { UsagePanelSkeleton } from '../usage/usage-panel.tsx';
import { BillingHeader } from './billing-header.tsx';
import { BillingOff } from './billing-off.tsx';
import { CostSkeleton } from './cost-card.tsx';
import { SandboxNotice } from './sandbox-notice.tsx';

/** The billing page before its data: the same head, with placeholders. */
export function BillingPageSkeleton() {
  const isOff = useSettings().billingMode === 'off';
  return (
    <>
      <BillingHeader />
      <Stack gap={isOff ? 'lg' : 'xl'}>
        <SandboxNotice />
        {isOff ? (
          <BillingOff />
        ) : (
          <SectionCard title={<Trans>Cost this month</Trans>}>
            <CostSkeleton />
          </SectionCard>
        )}
        <UsagePanelSkeleton />
      </Stack>
    </>
  );
}
