import { useLingui } from '@lingui/react/macro';
import type { Invoice } from '#server/services/billing/invoices/schema.ts';
import type { PaymentState } from '#server/services/billing/payments/reversal-rules.ts';
import type { InvoiceStatus } from '#server/services/billing/rules.ts';
import { type BadgeColour, RowBadge } from '../../../components/lists/row-badge.tsx';

type Shown = InvoiceStatus | PaymentState;

const COLOURS: Record<Shown, BadgeColour> = {
  paid: 'green',
  open: 'lake',
  draft: 'gray',
  void: 'gray',
  refunded: 'gray',
  partly_refunded: 'gray',
  refund_rejected: 'red',
  inquiry: 'red',
  disputed: 'red',
  charged_back: 'red',
};

/** The status of an invoice, or what has become of its payment; one that could not be charged stands out. */
export function InvoiceStatusBadge({
  invoice,
}: {
  invoice: Pick<Invoice, 'status' | 'payment_problem' | 'payment_state'>;
}) {
  const { t } = useLingui();
  const { status, payment_problem, payment_state } = invoice;
  const shown: Shown = payment_state ?? status;
  const words: Record<Shown, string> = {
    paid: t({ message: 'Paid', context: 'invoice' }),
    open: t({ message: 'Open', context: 'invoice' }),
    draft: t({ message: 'Draft', context: 'invoice' }),
    void: t({ message: 'Void', context: 'invoice' }),
    refunded: t({ message: 'Refunded', context: 'invoice' }),
    partly_refunded: t({ message: 'Partly refunded', context: 'invoice' }),
    refund_rejected: t({ message: 'Refund rejected', context: 'invoice' }),
    inquiry: t({ message: 'Questioned by the bank', context: 'invoice' }),
    disputed: t({ message: 'Disputed', context: 'invoice' }),
    charged_back: t({ message: 'Charged back', context: 'invoice' }),
  };
  return <RowBadge colour={payment_problem === null ? COLOURS[shown] : 'red'}>{words[shown]}</RowBadge>;
}
