import { plural } from '@lingui/core/macro';
import { useLingui } from '@lingui/react/macro';

/** Returns a function that formats an expiration in days; null is "never". */
export function useExpirationWords(): (days: number | null) => string {
  const { t } = useLingui();
  return (days) => {
    if (days === null) return t`Never`;
    const words = t`${plural(days, { one: '# day', other: '# days' })}`;
    return days === 365 ? t`${words} (1 year)` : words;
  };
}
