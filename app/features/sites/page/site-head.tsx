import { Trans } from '@lingui/react/macro';
import { Badge, Button, Group, Title } from '@mantine/core';
import { IconExternalLink, IconRocket } from '@tabler/icons-react';
import type { Site } from '#server/services/sites/schema.ts';
import { fetchSidePanel } from '../../../components/dialogs/side-panel.tsx';
import { ReasonedAction } from '../../../components/hints/reasoned-action.tsx';
import { NewTabHint } from '../../../components/new-tab-hint.tsx';
import { useSettings } from '../../../use-settings.ts';
import { StoppedBadge } from '../../billing/spending/stopped-badge.tsx';
import { useStops } from '../../billing/spending/use-spending-limits.ts';
import { useEndpointsOfSite } from '../../cdn/list/use-endpoints.ts';
import { usePermissionReason } from '../../organizations/use-permission-reason.ts';
import { addressToVisit } from '../address-to-visit.ts';
import { SuspendedBadge } from '../suspended-badge.tsx';
import { useSiteParams } from '../use-site-params.ts';
import { SiteMenu } from './site-menu.tsx';
import classes from './site-page.module.css';

/** The head of a site's page: its name in its address, Visit, Deploy, and the menu. */
export function SiteHead({ site, onDeploy }: { site: Site; onDeploy: () => void }) {
  const { sitesHost } = useSettings();
  const { endpoints, rows } = useEndpointsOfSite(useSiteParams());
  const isStopped = useStops(useSiteParams().organization_id)(site.id);
  const deployReason = usePermissionReason()('deployment.create');
  return (
    <div className={classes.head}>
      <div className={classes.title}>
        <Title order={1}>
          {site.name}
          <span className={classes.suffix}>.{sitesHost}</span>
        </Title>
        <Badge color="gray">
          <Trans>static site</Trans>
        </Badge>
        {site.suspended_at !== null ? <SuspendedBadge /> : isStopped && <StoppedBadge />}
      </div>
      <Group gap="xs" wrap="nowrap">
        <Button
          component="a"
          href={addressToVisit(site, rows, endpoints.dataUpdatedAt)}
          target="_blank"
          rel="noreferrer"
          variant="default"
          rightSection={<IconExternalLink size={16} stroke={1.6} aria-hidden />}
        >
          <Trans>Visit</Trans>
          <NewTabHint />
        </Button>
        <ReasonedAction reason={deployReason} onAct={onDeploy} onIntent={fetchSidePanel}>
          {(action) => (
            <Button leftSection={<IconRocket size={16} stroke={1.6} aria-hidden />} {...action}>
              <Trans>Deploy</Trans>
            </Button>
          )}
        </ReasonedAction>
        <SiteMenu site={site} />
      </Group>
    </div>
  );
}
