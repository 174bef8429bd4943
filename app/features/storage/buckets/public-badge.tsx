import { useLingui } from '@lingui/react/macro';
import { RowBadge } from '../../../components/lists/row-badge.tsx';

/** Marks a bucket whose objects anyone may read; hovering explains it. */
export function PublicBadge() {
  const { t } = useLingui();
  return (
    <RowBadge colour="yellow" title={t`Anyone can read its objects by their address.`}>
      {t({ context: 'bucket', message: 'Public' })}
    </RowBadge>
  );
}
