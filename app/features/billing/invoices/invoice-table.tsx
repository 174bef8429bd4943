import { Trans, useLingui } from '@lingui/react/macro';
import { Card, Text } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { type ReactNode, useId, useState } from 'react';
import type { InvoiceDetail } from '#server/services/billing/invoices/schema.ts';
import { type DueRow, dueRows } from '#server/services/billing/payments/due-rules.ts';
import { PROVINCE_WORDS } from '../contact/place-names.ts';
import { useBillingWords } from '../use-billing-words.ts';
import { useMoney, useRateMoney } from '../use-money.ts';
import { AmountReason } from './amount-reason.tsx';
import classes from './invoice-page.module.css';
import { type InvoiceLine, linesOf } from './invoice-rows.ts';

/** What was used, at which rate, for which amount; each line explains its amount, unless nobody may read the organization's usage. */
export function InvoiceTable(props: { invoice: InvoiceDetail; organizationId: string | null }) {
  const { t } = useLingui();
  const money = useMoney();
  const { taxOf } = useBillingWords();
  const { invoice, organizationId } = props;
  return (
    <Card padding={0} className={classes.lines}>
      <table className={classes.table} aria-label={t`Usage billed`}>
        <thead>
          <tr>
            <th scope="col">
              <Trans>Description</Trans>
            </th>
            <th scope="col" className={classes.figure}>
              <Trans>Quantity</Trans>
            </th>
            <th scope="col" className={classes.figure}>
              <Trans>Rate</Trans>
            </th>
            <th scope="col" className={classes.figure}>
              <Trans>Amount</Trans>
            </th>
          </tr>
        </thead>
        <tbody>
          {linesOf(invoice).map((line) => (
            <LineRows key={line.key} line={line} invoice={invoice} organizationId={organizationId} />
          ))}
        </tbody>
        <tfoot>
          <SumRow name={<Trans>Subtotal</Trans>} amount={money(invoice.subtotal_cents)} />
          {invoice.tax_details.map((tax) => (
            <SumRow key={tax.tax_name} name={taxOf(tax)} amount={money(tax.amount)} />
          ))}
          <SumRow isTotal name={<Trans>Total</Trans>} amount={money(invoice.total_cents)} />
          <DueRows invoice={invoice} />
        </tfoot>
      </table>
      <TaxNote invoice={invoice} />
    </Card>
  );
}

function SumRow(props: { name: ReactNode; amount: string; isTotal?: boolean }) {
  return (
    <tr className={classes.sum} data-total={props.isTotal || undefined}>
      <th scope="row" colSpan={3} className={classes.figure}>
        {props.name}
      </th>
      <td className={classes.figure}>{props.amount}</td>
    </tr>
  );
}

const DUE_NAMES: Record<DueRow['kind'], ReactNode> = {
  carriedIn: <Trans>Carried over from earlier invoices</Trans>,
  carriedOut: <Trans>Too little to charge: added to the next invoice</Trans>,
  creditIn: <Trans>Credit from earlier invoices</Trans>,
  credited: <Trans>Credited</Trans>,
  due: <Trans>Amount due</Trans>,
  paidPart: <Trans>Paid so far</Trans>,
  left: <Trans>Left to pay</Trans>,
  refunded: <Trans>Refunded</Trans>,
  rejected: <Trans>Refund rejected by the bank, still owed to you</Trans>,
  disputed: <Trans>Disputed at the bank</Trans>,
  chargedBack: <Trans>Charged back by the bank</Trans>,
};

/** How much of the total is due with which invoice, when that is not simply the total. */
function DueRows({ invoice }: { invoice: InvoiceDetail }) {
  const money = useMoney();
  if (invoice.status !== 'open' && invoice.status !== 'paid') return null;
  const rows = dueRows({
    totalCents: invoice.total_cents,
    startingBalanceCents: invoice.starting_balance_cents,
    dueCents: invoice.amount_due_cents,
    paidPartCents: invoice.status === 'open' ? invoice.amount_paid_cents : 0,
    creditedCents: invoice.credited_cents,
    creditedEarlyCents: invoice.credited_early_cents,
    creditedToCardCents: invoice.credited_to_card_cents,
    refundedCents: invoice.refunded_cents,
    rejectedCents: invoice.rejected_cents,
    disputedCents: invoice.disputed_cents,
    chargedBackCents: invoice.charged_back_cents,
  });
  return rows.map(({ kind, cents }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: two rows may be alike in kind and amount, their order is fixed, and none has state.
    <SumRow key={index} name={DUE_NAMES[kind]} amount={money(cents)} />
  ));
}

function TaxNote({ invoice }: { invoice: InvoiceDetail }) {
  const { i18n } = useLingui();
  const { tax_reason, tax_place } = invoice;
  const province = tax_place?.province ? i18n._(PROVINCE_WORDS[tax_place.province]) : null;
  const notes = [
    tax_reason === 'outside_canada' && tax_place === null && (
      <Trans>No tax: the billing address is outside Canada.</Trans>
    ),
    tax_reason === 'outside_canada' && tax_place !== null && (
      <Trans>No tax: the billing address was outside Canada when the month closed.</Trans>
    ),
    tax_reason === 'not_registered' && tax_place === null && (
      <Trans>No tax is collected in the province of the billing address.</Trans>
    ),
    province !== null && (
      <Trans>Taxes by the billing address when the month closed, which was in {province}.</Trans>
    ),
  ];
  const note = notes.find(Boolean);
  if (!note) return null;
  return (
    <Text size="xs" c="dimmed" px="lg" pb="md" ta="end">
      {note}
    </Text>
  );
}

function LineRows(props: { line: InvoiceLine; invoice: InvoiceDetail; organizationId: string | null }) {
  const { line, invoice, organizationId } = props;
  const { kinds, quantityOf, rateOf, monthOf } = useBillingWords();
  const money = useMoney();
  const rateMoney = useRateMoney();
  const reasonId = useId();
  const [isOpen, setOpen] = useState(false);
  const { kind, lateMonth } = line;
  const month = lateMonth && monthOf({ billing_year: lateMonth.year, billing_month: lateMonth.month });
  const cut = money(line.cutCents);
  return (
    <>
      <tr className={classes.line}>
        <th scope="row">
          <div className={classes.name}>{kinds[kind]}</div>
          {month !== null && (
            <div className={classes.note}>
              <Trans>Usage of {month} that arrived after its invoice</Trans>
            </div>
          )}
          {line.cutCents > 0 && (
            <div className={classes.note}>
              <Trans>{cut} beyond the spending limit, not billed</Trans>
            </div>
          )}
          {organizationId !== null && (
            <button
              type="button"
              className={classes.why}
              aria-expanded={isOpen}
              aria-controls={isOpen ? reasonId : undefined}
              onClick={() => setOpen(!isOpen)}
            >
              <IconChevronRight size={14} stroke={2} aria-hidden className={classes.chevron} />
              <Trans>Why this amount</Trans>
              <span className="visually-hidden">: {kinds[kind]}</span>
            </button>
          )}
        </th>
        <td className={classes.figure}>{quantityOf(kind, line.units)}</td>
        <td className={`${classes.figure} ${classes.quiet}`}>{rateOf(kind, rateMoney(line.rateCents))}</td>
        <td className={classes.figure}>{money(line.amountCents)}</td>
      </tr>
      {isOpen && organizationId !== null && (
        <tr className={classes.reasonRow} id={reasonId}>
          <td colSpan={4} className={classes.reason}>
            <AmountReason line={line} invoiceId={invoice.id} organizationId={organizationId} />
          </td>
        </tr>
      )}
    </>
  );
}
