import { Trans, useLingui } from '@lingui/react/macro';
import { Stack } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { SidePanel } from '../../../components/dialogs/side-panel.tsx';
import { AnchorLink } from '../../../components/links.tsx';
import { Breadcrumbs } from '../../../components/page/breadcrumbs.tsx';
import { isNotFound } from '../../../i18n/errors/read-error.ts';
import { trpc } from '../../../trpc.ts';
import { DeployZone } from '../../deployments/deploy-zone.tsx';
import { useResumption } from '../../deployments/history/use-resumption.ts';
import { VersionList } from '../../deployments/history/version-list.tsx';
import type { DeploySource } from '../../deployments/use-deploy.ts';
import { LimitNotice } from '../../limits/limit-notice.tsx';
import { useOrganization } from '../../organizations/use-organization.ts';
import { PublishersCard } from '../../publishers/publishers-card.tsx';
import { useSiteParams } from '../use-site-params.ts';
import { DeployGuide } from './deploy-guide.tsx';
import { RetentionCard } from './retention-card.tsx';
import { SiteEndpoints } from './site-endpoints.tsx';
import { SiteFacts } from './site-facts.tsx';
import { SiteGone } from './site-gone.tsx';
import { SiteHead } from './site-head.tsx';
import classes from './site-page.module.css';
import { SiteSuspension } from './site-suspension.tsx';
import { SiteUsage } from './site-usage.tsx';

const siteRoute = getRouteApi('/$orgId/sites/$siteId');
/** How often the page checks whether another person has deleted or changed its site. */
const REFRESH_MS = 10_000;

/**
 * A site: its address, deploying to it, its settings, its usage and its history. The open deploy panel is in
 * the address.
 */
export function SitePage() {
  const { t } = useLingui();
  const ofSite = useSiteParams();
  const { deploy } = siteRoute.useSearch();
  const navigate = siteRoute.useNavigate();
  const [site, query] = trpc.sites.get.useSuspenseQuery(ofSite, {
    refetchInterval: REFRESH_MS,
    refetchOnWindowFocus: 'always',
  });
  const { resumption, resume, finish } = useResumption(ofSite);
  const [isDeploying, setDeploying] = useState(false);
  const [picked, setPicked] = useState<DeploySource | null>(null);
  const utils = trpc.useUtils();
  const { organization, can } = useOrganization();
  const setPanelOpen = (isOpen: boolean) =>
    void navigate({ search: { deploy: isOpen || undefined }, replace: !isOpen, resetScroll: false });
  /** What the site serves has changed. */
  const reload = () => {
    void utils.sites.get.invalidate(ofSite);
    void utils.sites.list.invalidate();
  };
  if (isNotFound(query.error)) return <SiteGone site={site} />;
  return (
    <>
      <Breadcrumbs current={site.name}>
        <AnchorLink
          to="/$orgId/sites"
          params={{ orgId: ofSite.organization_id }}
          activeOptions={{ exact: true }}
        >
          <Trans>Sites</Trans>
        </AnchorLink>
      </Breadcrumbs>
      <SiteHead site={site} onDeploy={() => setPanelOpen(true)} />
      <SiteSuspension site={site} />
      <LimitNotice
        organizationId={organization.id}
        of={['versions', 'open_versions', 'stored_files', 'stored_bytes']}
      />
      <DeployZone
        key={site.id}
        site={site}
        resumption={resumption}
        picked={picked}
        onDeployed={() => {
          reload();
          void finish();
        }}
        onBusy={(isBusy) => {
          setDeploying(isBusy);
          // Dropped while the panel was open: its progress is on the page.
          if (isBusy && deploy) setPanelOpen(false);
        }}
      />
      <div className={classes.columns}>
        <Stack gap="lg">
          <SiteFacts site={site} />
          <SiteUsage site={site} />
          <SiteEndpoints />
        </Stack>
        <div className={classes.history}>
          <VersionList site={site} onChanged={reload} onResume={isDeploying ? undefined : resume} />
        </div>
        <Stack gap="lg">
          <RetentionCard key={site.id} site={site} />
          <PublishersCard key={`publishers ${site.id}`} siteId={site.id} />
        </Stack>
      </div>
      <SidePanel
        isOpen={deploy === true && can('deployment.create')}
        onClose={() => setPanelOpen(false)}
        title={t`Deploy`}
        size="lg"
        closeLabel={t`Close`}
      >
        <DeployGuide
          site={site}
          isBusy={isDeploying}
          onPick={(source) => {
            setPicked(source);
            setPanelOpen(false);
          }}
        />
      </SidePanel>
    </>
  );
}
