import { Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import type { Bundle } from '#server/services/certificates/schema.ts';
import { RowBadge } from '../../components/row-badge.tsx';
import { READING_COLOURS, readBundle } from './bundle-reading.ts';
import { isExpired } from './certificate-state-badge.tsx';

/** The certificate in the list of endpoints (spec/console.md, section 4, reading A); red once it has run out. */
export function ListStateBadge({ bundle, now }: { bundle: Bundle | null; now: number }) {
  const { i18n } = useLingui();
  const reading = readBundle(bundle);
  const until = bundle?.valid_until ?? null;
  const date = until && i18n.date(new Date(until), { dateStyle: 'medium', timeZone: 'UTC' });
  const words: Record<typeof reading, ReactNode> = {
    none: <Trans>no certificate</Trans>,
    active: date === null ? <Trans>active</Trans> : <Trans>Valid until {date}</Trans>,
    validated: <Trans>Ready to Issue</Trans>,
    pending: <Trans>DNS Pending</Trans>,
  };
  const colour = bundle !== null && isExpired(bundle, now) ? 'red' : READING_COLOURS[reading];
  return <RowBadge colour={colour}>{words[reading]}</RowBadge>;
}
