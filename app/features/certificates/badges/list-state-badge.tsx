import { Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { certificateState } from '#server/services/certificates/rules.ts';
import type { Bundle } from '#server/services/certificates/schema.ts';
import { formatDate } from '#server/services/shared/date-rules.ts';
import { RowBadge } from '../../../components/lists/row-badge.tsx';
import { isExpired } from './certificate-state-badge.tsx';
import { STATE_COLOURS } from './state-colours.ts';

/**
 * The certificate in the list of endpoints: there, an issued one shows its date, and any validated record
 * counts as ready to issue. Red once it has expired.
 */
export function ListStateBadge({ bundle, now }: { bundle: Bundle | null; now: number }) {
  const { i18n } = useLingui();
  const state = certificateState(bundle);
  const until = bundle?.valid_until ?? null;
  const date = until && formatDate(until, i18n.locale, { dateStyle: 'medium' });
  const words: Record<typeof state, ReactNode> = {
    none: <Trans>no certificate</Trans>,
    active: date === null ? <Trans>active</Trans> : <Trans>Valid until {date}</Trans>,
    validating: <Trans>Ready to Issue</Trans>,
    pending: <Trans>DNS Pending</Trans>,
  };
  const colour = bundle !== null && isExpired(bundle, now) ? 'red' : STATE_COLOURS[state];
  return <RowBadge colour={colour}>{words[state]}</RowBadge>;
}
