import { Trans, useLingui } from '@lingui/react/macro';
import { RowBadge } from '../../components/lists/row-badge.tsx';

/** Marks a site that an operator has suspended. */
export function SuspendedBadge() {
  const { t } = useLingui();
  return (
    <RowBadge colour="red" title={t`The operator has suspended this site; its page says why.`}>
      <Trans context="site">Suspended</Trans>
    </RowBadge>
  );
}
