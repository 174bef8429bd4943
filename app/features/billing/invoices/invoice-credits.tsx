import { Trans, useLingui } from '@lingui/react/macro';
import { Stack, Text } from '@mantine/core';
import type { InvoiceCredit } from '#server/services/billing/invoices/schema.ts';
import { formatDate } from '#server/services/shared/date-rules.ts';
import { SectionCard } from '../../../components/page/section-card.tsx';
import { useBillingWords } from '../use-billing-words.ts';
import { useMoney } from '../use-money.ts';
import classes from './invoice-page.module.css';

/** What the operator credited of an invoice, with the reason and where the money goes; nothing without any. */
export function InvoiceCredits({ credits }: { credits: readonly InvoiceCredit[] }) {
  if (credits.length === 0) return null;
  return (
    <SectionCard title={<Trans>Credits</Trans>}>
      <Stack gap="sm">
        {credits.map((credit, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: credits have no id, their order is fixed, and none has state.
          <Credit key={index} credit={credit} />
        ))}
      </Stack>
    </SectionCard>
  );
}

function Credit({ credit }: { credit: InvoiceCredit }) {
  const { i18n } = useLingui();
  const money = useMoney();
  const { taxOf } = useBillingWords();
  const { amount_cents, tax_details, reason, reason_fr, created_at } = credit;
  const amount = money(amount_cents);
  const date = formatDate(created_at, i18n.locale);
  const taxes = tax_details
    .filter((tax) => tax.amount !== 0)
    .map((tax) => `${taxOf(tax)} ${money(tax.amount)}`)
    .join(' · ');
  return (
    <div>
      <Text size="sm" fw={500}>
        <CreditHead credit={credit} date={date} amount={amount} />
      </Text>
      <Text size="sm" className={classes.words}>
        {(i18n.locale === 'fr-CA' ? reason_fr : null) ?? reason}
      </Text>
      {taxes !== '' && (
        <Text size="xs" c="dimmed">
          <Trans>Including {taxes}</Trans>
        </Text>
      )}
    </div>
  );
}

function CreditHead({ credit, date, amount }: { credit: InvoiceCredit; date: string; amount: string }) {
  if (credit.kind === 'credit') {
    return (
      <Trans>
        {date}: {amount} credited
      </Trans>
    );
  }
  switch (credit.refund_state) {
    case 'pending':
      return (
        <Trans>
          {date}: {amount} on its way to the card
        </Trans>
      );
    case 'rejected':
      return (
        <Trans>
          {date}: {amount} rejected by the bank of the card, still owed to you
        </Trans>
      );
    case 'repaid':
      return (
        <Trans>
          {date}: {amount} rejected by the bank of the card, and given back by other means
        </Trans>
      );
    default:
      return (
        <Trans>
          {date}: {amount} refunded to the card
        </Trans>
      );
  }
}
