import { useLingui } from '@lingui/react/macro';
import type { InvoiceStatus } from '#server/services/billing/rules.ts';
import { type BadgeColour, RowBadge } from '../../components/row-badge.tsx';

const COLOURS: Record<InvoiceStatus, BadgeColour> = {
  paid: 'green',
  open: 'lake',
  draft: 'gray',
  void: 'gray',
};

/** The status of an invoice; one that could not be charged stands out. */
export function InvoiceStatusBadge(props: { status: InvoiceStatus; isUnpaid?: boolean }) {
  const { t } = useLingui();
  const { status, isUnpaid = false } = props;
  const words: Record<InvoiceStatus, string> = {
    paid: t({ message: 'Paid', context: 'invoice' }),
    open: t({ message: 'Open', context: 'invoice' }),
    draft: t({ message: 'Draft', context: 'invoice' }),
    void: t({ message: 'Void', context: 'invoice' }),
  };
  return <RowBadge colour={isUnpaid ? 'red' : COLOURS[status]}>{words[status]}</RowBadge>;
}
