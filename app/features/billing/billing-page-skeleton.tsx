import { UsagePanelSkeleton } from '../usage/usage-panel.tsx';
import { BillingHeader } from './billing-header.tsx';

/** The billing page before its data: the same head, figures of grey. */
export function BillingPageSkeleton() {
  return (
    <>
      <BillingHeader />
      <UsagePanelSkeleton />
    </>
  );
}
