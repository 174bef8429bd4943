import { Trans, useLingui } from '@lingui/react/macro';
import type { LimitUse } from '#server/services/limits/schema.ts';
import { formatBytes } from '../../i18n/formats/format-bytes.ts';

/** `12 of 500`, or amounts of bytes. */
export function LimitAmount({ use }: { use: LimitUse }) {
  const { i18n } = useLingui();
  const words = (amount: number) =>
    use.name === 'stored_bytes' || use.name === 'bucket_bytes'
      ? formatBytes(amount, i18n.locale)
      : i18n.number(amount);
  const used = words(use.used);
  const limit = words(use.limit);
  return (
    <Trans>
      {used} of {limit}
    </Trans>
  );
}
