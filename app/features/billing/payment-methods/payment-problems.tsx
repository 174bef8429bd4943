import type { ReactNode } from 'react';
import { trpc } from '../../../trpc.ts';
import { PaymentProblem } from './payment-problem.tsx';

/** Every invoice that could not be charged, at the top of a page. */
export function PaymentProblems(props: { organizationId: string; action?: ReactNode }) {
  const { organizationId, action } = props;
  const { data = [] } = trpc.billing.invoices.useQuery({ organization_id: organizationId });
  return data.map((invoice) => <PaymentProblem key={invoice.id} invoice={invoice} action={action} />);
}
