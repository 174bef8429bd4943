import { plural } from '@lingui/core/macro';
import { useLingui } from '@lingui/react/macro';
import type { UsageKind } from '#server/services/billing/months/rating-rules.ts';
import type { TaxName } from '#server/services/billing/months/tax-rules.ts';
import { formatDate } from '#server/services/shared/date-rules.ts';

/** Returns the names of months, kinds of usage, their units and taxes. */
export function useBillingWords() {
  const { t, i18n } = useLingui();
  const kinds: Record<UsageKind, string> = {
    site: t`Active sites`,
    endpoint: t`CDN endpoints`,
    bandwidth: t`Bandwidth`,
    requests: t`HTTP requests`,
    storage: t`Object storage`,
  };
  const taxes: Record<TaxName, string> = {
    GST: t({ message: 'GST', context: 'tax' }),
    HST: t({ message: 'HST', context: 'tax' }),
    QST: t({ message: 'QST', context: 'tax' }),
    PST: t({ message: 'PST', context: 'tax' }),
    RST: t({ message: 'RST', context: 'tax' }),
  };
  const number = (amount: number, minimumFractionDigits = 0) =>
    i18n.number(amount, { minimumFractionDigits, maximumFractionDigits: 6 });
  return {
    kinds,
    monthOf: ({
      billing_year: year,
      billing_month: month,
    }: {
      billing_year: number;
      billing_month: number;
    }) =>
      formatDate(new Date(Date.UTC(year, month - 1, 1)), i18n.locale, {
        year: 'numeric',
        month: 'long',
      }),
    /** `1.50 GB`, `2 million`. */
    quantityOf: (kind: UsageKind, units: number) => {
      const amount = number(units, kind === 'bandwidth' || kind === 'storage' ? 2 : 0);
      if (kind === 'bandwidth') return t`${amount} GB`;
      if (kind === 'requests') {
        return t`${plural(units, { one: `${amount} million`, other: `${amount} million` })}`;
      }
      if (kind === 'storage') return t`${amount} GB-months`;
      return amount;
    },
    /** `$0.10 per GB` */
    rateOf: (kind: UsageKind, rate: string) => {
      const words: Record<UsageKind, string> = {
        site: t`${rate} per active site`,
        endpoint: t`${rate} per CDN endpoint`,
        bandwidth: t`${rate} per GB`,
        requests: t`${rate} per million`,
        storage: t`${rate} per GB-month`,
      };
      return words[kind];
    },
    /** `QST (9.975%)` */
    taxOf: ({ tax_name: name, tax_rate: rate }: { tax_name: TaxName; tax_rate: number }) => {
      const percent = i18n.number(rate / 100, { style: 'percent', maximumFractionDigits: 3 });
      return `${taxes[name]} (${percent})`;
    },
  };
}
