import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import type { Bundle } from '#server/services/certificates/schema.ts';
import { RowBadge } from '../../components/row-badge.tsx';
import { type BundleReading, READING_COLOURS, readBundle } from './bundle-reading.ts';

const WORDS: Record<BundleReading, ReactNode> = {
  none: <Trans>no certificate</Trans>,
  active: <Trans>active</Trans>,
  validated: <Trans>validating</Trans>,
  pending: <Trans>pending</Trans>,
};

/** The certificate of an endpoint on its site's page (spec/console.md, section 4, reading B). */
export function SiteStateBadge({ bundle }: { bundle: Bundle | null }) {
  const reading = readBundle(bundle);
  return <RowBadge colour={READING_COLOURS[reading]}>{WORDS[reading]}</RowBadge>;
}
