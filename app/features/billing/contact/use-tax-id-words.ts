import { useLingui } from '@lingui/react/macro';
import type { TaxIdType } from '#server/services/billing/rules.ts';

/** Returns the name of each type of tax number in the language of the page. */
export function useTaxIdWords(): Record<TaxIdType, string> {
  const { t } = useLingui();
  return {
    GST: t`GST`,
    HST: t`HST`,
    QST: t`QST`,
    Other: t({ message: 'Other', context: 'tax number' }),
  };
}
