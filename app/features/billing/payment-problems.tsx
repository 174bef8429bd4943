import { trpc } from '../../trpc.ts';
import { PaymentProblem } from './payment-problem.tsx';

/** Every invoice that could not be charged, at the top of the billing page. */
export function PaymentProblems({ organizationId }: { organizationId: string }) {
  const { data = [] } = trpc.billing.invoices.useQuery({ organization_id: organizationId });
  return data.map((invoice) => <PaymentProblem key={invoice.id} invoice={invoice} />);
}
