import { useLingui } from '@lingui/react/macro';
import type { Endpoint } from '#server/services/cdn/schema.ts';
import { type BadgeColour, RowBadge } from '../../components/lists/row-badge.tsx';
import { StoppedBadge } from '../billing/spending/stopped-badge.tsx';
import { useOrganization } from '../organizations/use-organization.ts';
import { type EndpointStatus, endpointStatus } from './endpoint-status.ts';

const COLOURS: Record<EndpointStatus, BadgeColour> = {
  suspended: 'red',
  waiting: 'yellow',
  ready: 'lake',
  failing: 'red',
  expired: 'red',
  live: 'green',
};

/** The status of an endpoint at the time `now`; hovering explains it. */
export function EndpointStatusBadge(props: { endpoint: Endpoint; now: number; isStopped?: boolean }) {
  const { endpoint, now, isStopped = false } = props;
  const { t } = useLingui();
  const { organization } = useOrganization();
  const status = endpointStatus(endpoint, organization.suspended_at !== null, now);
  const words: Record<EndpointStatus, [label: string, meaning: string]> = {
    suspended: [t`Suspended`, t`The organization is suspended: the hostname answers with an error.`],
    waiting: [
      t`Waiting for DNS`,
      t`The DNS records of this hostname are not in place yet. Its page shows them.`,
    ],
    ready: [t`Ready to switch`, t`The certificate is ready. Point the hostname here whenever you like.`],
    failing: [
      t`Needs attention`,
      t`The certificate cannot currently be issued or renewed. The endpoint’s page says why.`,
    ],
    expired: [t`Expired`, t`The certificate has expired. The endpoint’s page says what to do.`],
    live: [t`Live`, t`The hostname reaches its origin.`],
  };
  // That it is not served matters more than its records; a suspension says so too.
  if (isStopped && status !== 'suspended') return <StoppedBadge />;
  const [label, meaning] = words[status];
  return (
    <RowBadge colour={COLOURS[status]} title={meaning}>
      {label}
    </RowBadge>
  );
}
