import { Trans } from '@lingui/react/macro';
import { Badge } from '@mantine/core';
import { type CertificateState, certificateState } from '#server/services/certificates/rules.ts';
import type { Bundle } from '#server/services/certificates/schema.ts';

const COLORS: Record<CertificateState | 'expired', string> = {
  none: 'gray',
  pending: 'red',
  validating: 'orange',
  active: 'green',
  expired: 'red',
};

/** The state of a certificate in a word; an expired one is not called active. */
export function CertificateStateBadge(props: { bundle: Bundle | null; now: number }) {
  const { bundle, now } = props;
  const state = bundle !== null && isExpired(bundle, now) ? 'expired' : certificateState(bundle);
  return (
    <Badge color={COLORS[state]} size="lg">
      <StateWords state={state} />
    </Badge>
  );
}

function StateWords({ state }: { state: CertificateState | 'expired' }) {
  switch (state) {
    case 'none':
      return <Trans>No Certificate</Trans>;
    case 'pending':
      return <Trans context="certificate">Pending</Trans>;
    case 'validating':
      return <Trans context="certificate">Validating</Trans>;
    case 'active':
      return <Trans context="certificate">Active</Trans>;
    case 'expired':
      return <Trans context="certificate">Expired</Trans>;
  }
}

/** Whether a certificate was issued and has expired. @param now epoch milliseconds */
export function isExpired(bundle: Pick<Bundle, 'issued_at' | 'valid_until'>, now: number): boolean {
  return bundle.issued_at !== null && bundle.valid_until !== null && Date.parse(bundle.valid_until) <= now;
}
