import { useLingui } from '@lingui/react/macro';
import { RowBadge } from '../../../components/lists/row-badge.tsx';

/** Marks what is not served for the rest of the month. */
export function StoppedBadge() {
  const { t } = useLingui();
  return (
    <RowBadge
      colour="red"
      title={t`A spending limit is reached: visitors get a plain page until the end of the month, or until the limit is raised.`}
    >
      {t`Stopped`}
    </RowBadge>
  );
}
