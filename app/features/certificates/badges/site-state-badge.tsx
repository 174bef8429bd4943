import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { type CertificateState, certificateState } from '#server/services/certificates/rules.ts';
import type { Bundle } from '#server/services/certificates/schema.ts';
import { RowBadge } from '../../../components/lists/row-badge.tsx';
import { STATE_COLOURS } from './state-colours.ts';

const WORDS: Record<CertificateState, ReactNode> = {
  none: <Trans>no certificate</Trans>,
  active: <Trans>active</Trans>,
  validating: <Trans>validating</Trans>,
  pending: <Trans>pending</Trans>,
};

/** The certificate of an endpoint on its site's page, which has only the states issued, validating and pending. */
export function SiteStateBadge({ bundle }: { bundle: Bundle | null }) {
  const state = certificateState(bundle);
  return <RowBadge colour={STATE_COLOURS[state]}>{WORDS[state]}</RowBadge>;
}
