import { useLingui } from '@lingui/react/macro';
import type { TaxIdType } from '#server/services/billing/rules.ts';

/** Returns what the types of tax numbers are called. */
export function useTaxIdWords(): Record<TaxIdType, string> {
  const { t } = useLingui();
  return {
    GST: t`GST`,
    HST: t`HST`,
    QST: t`QST`,
    Other: t({ message: 'Other', context: 'tax number' }),
  };
}
