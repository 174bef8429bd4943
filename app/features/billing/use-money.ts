import { useLingui } from '@lingui/react';
import { formatMoney, formatRate } from '../../i18n/formats/format-money.ts';

/** Returns a function that formats cents in the language of the page. */
export function useMoney(): (cents: number) => string {
  const { i18n } = useLingui();
  return (cents) => formatMoney(cents, i18n.locale);
}

/** Returns a formatter for rates in cents, which may have fractions. */
export function useRateMoney(): (cents: number) => string {
  const { i18n } = useLingui();
  return (cents) => formatRate(cents, i18n.locale);
}
