import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Group, Title } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import type { Endpoint } from '#server/services/cdn/schema.ts';
import { unicodeHostname } from '#server/services/cdn/unicode-hostname-rules.ts';
import { ReasonedAction } from '../../../components/hints/reasoned-action.tsx';
import { NewTabHint } from '../../../components/new-tab-hint.tsx';
import { useStops } from '../../billing/spending/use-spending-limits.ts';
import { useOrganization } from '../../organizations/use-organization.ts';
import { EndpointStatusBadge } from '../endpoint-status-badge.tsx';
import { EndpointActions } from './endpoint-actions.tsx';
import classes from './endpoint-page.module.css';

/**
 * The head of an endpoint's page: its hostname as people write it and in DNS form, its status, Visit, and the
 * menu.
 */
export function EndpointHead(props: {
  endpoint: Endpoint;
  now: number;
  onLeaving: (isLeaving: boolean) => void;
}) {
  const { t } = useLingui();
  const { endpoint, now, onLeaving } = props;
  const { hostname } = endpoint;
  const isStopped = useStops(useOrganization().organization.id)(endpoint.id, endpoint.site_id);
  const written = unicodeHostname(hostname);
  const visitIcon = <IconExternalLink size={16} stroke={1.6} aria-hidden />;
  return (
    <div className={classes.head}>
      <div className={classes.title}>
        <Title order={1}>{written ?? hostname}</Title>
        <EndpointStatusBadge endpoint={endpoint} now={now} isStopped={isStopped} />
        {written !== null && <code className={classes.ascii}>{hostname}</code>}
      </div>
      <Group gap="xs" wrap="nowrap">
        {endpoint.proven_at === null ? (
          <ReasonedAction reason={t`Available once a DNS record proves that the hostname is yours.`}>
            {(action) => (
              <Button variant="default" rightSection={visitIcon} {...action}>
                <Trans>Visit</Trans>
              </Button>
            )}
          </ReasonedAction>
        ) : (
          <Button
            component="a"
            href={endpoint.url}
            target="_blank"
            rel="noreferrer"
            variant="default"
            rightSection={visitIcon}
          >
            <Trans>Visit</Trans>
            <NewTabHint />
          </Button>
        )}
        <EndpointActions endpoint={endpoint} onLeaving={onLeaving} />
      </Group>
    </div>
  );
}
