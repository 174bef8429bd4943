import { Trans, useLingui } from '@lingui/react/macro';
import { Stack, Text } from '@mantine/core';
import type { InvoiceCredit } from '#server/services/billing/schema.ts';
import { formatDate } from '#server/services/shared/date-rules.ts';
import { SectionCard } from '../../../components/page/section-card.tsx';
import { useBillingWords } from '../use-billing-words.ts';
import { useMoney } from '../use-money.ts';

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
  const { kind, amount_cents, tax_details, reason, reason_fr, created_at } = credit;
  const amount = money(amount_cents);
  const date = formatDate(created_at, i18n.locale);
  const taxes = tax_details
    .filter((tax) => tax.amount !== 0)
    .map((tax) => `${taxOf(tax)} ${money(tax.amount)}`)
    .join(' · ');
  return (
    <div>
      <Text size="sm" fw={500}>
        {kind === 'refund' ? (
          <Trans>
            {date}: {amount} refunded to the card
          </Trans>
        ) : (
          <Trans>
            {date}: {amount} credited
          </Trans>
        )}
      </Text>
      <Text size="sm">{(i18n.locale === 'fr-CA' ? reason_fr : null) ?? reason}</Text>
      {taxes !== '' && (
        <Text size="xs" c="dimmed">
          <Trans>Including {taxes}</Trans>
        </Text>
      )}
    </div>
  );
}
